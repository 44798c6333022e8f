import type { Application, ApplicationState } from "@florin/contract/application.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { Problem } from "../../components/problem.tsx";
import { showToast } from "../../components/toast.tsx";
import { mayEdit, partNames } from "./application-steps.ts";

/** Links to the missing parts, or the button that submits the application. */
export function SubmitStep({
  application,
  onGo,
}: {
  application: Application;
  onGo: (step: string) => void;
}) {
  const may = useMay();
  const { missing, status } = application;
  const operation = useOperation<void, ApplicationState>(
    (api, _, key) => api.post("/application/submit", {}, key),
    {
      done: () => showToast("Application submitted."),
    },
  );
  if (!mayEdit(application)) {
    return <p className="text-ink-soft">No further action is needed now.</p>;
  }
  return (
    <div className="grid gap-5">
      {missing.length > 0 ? (
        <>
          <p>Complete these items before you submit:</p>
          <ul className="grid gap-1.5">
            {missing.map(({ section, message }) => (
              <li key={message} className="flex flex-wrap gap-x-2">
                <button type="button" className="link" onClick={() => onGo(section)}>
                  {partNames.get(section)}
                </button>
                <span className="text-ink-soft">{message}</span>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>
          All steps are complete. By submitting, you confirm that the information is correct and
          that you are authorized to act for the business. You cannot change the application while
          it is in review.
        </p>
      )}
      {operation.problem && <Problem problem={operation.problem} />}
      <p>
        <Button
          weight="primary"
          busy={operation.pending}
          unavailable={
            missing.length > 0
              ? "Complete the missing items first."
              : may("application:write")
                ? null
                : "Only owners and admins can submit the application."
          }
          onClick={() => void operation.run()}
        >
          {status === "draft" ? "Submit application" : "Submit again"}
        </Button>
      </p>
    </div>
  );
}
