import type { Application, ApplicationState } from "@florin/contract/application.ts";
import { useMay } from "../../api/me.ts";
import { useAct } from "../../api/use-act.ts";
import { Button } from "../../components/button.tsx";
import { Problem } from "../../components/problem.tsx";
import { say } from "../../components/toast.tsx";
import { mayEdit, partNames } from "./parts.ts";

/** The missing parts with links, or the button that submits the application. */
export function SubmitStep({
  application,
  onGo,
}: {
  application: Application;
  onGo: (step: string) => void;
}) {
  const may = useMay();
  const { missing, status } = application;
  const act = useAct<void, ApplicationState>(
    (api, _, key) => api.post("/application/submit", {}, key),
    {
      done: () => say("Submitted."),
    },
  );
  if (!mayEdit(application)) {
    return <p className="text-ink-soft">There is nothing more for you to do here now.</p>;
  }
  return (
    <div className="grid gap-5">
      {missing.length > 0 ? (
        <>
          <p>Before it can be submitted, this is missing:</p>
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
          Everything is there. By submitting it you say that it is true and that you may speak for
          the business. Nothing can be changed while it is looked at.
        </p>
      )}
      {act.problem && <Problem problem={act.problem} />}
      <p>
        <Button
          weight="primary"
          busy={act.pending}
          unavailable={
            missing.length > 0
              ? "Something is missing, as the list says."
              : may("application:write")
                ? null
                : "An owner or admin of the account submits it."
          }
          onClick={() => void act.run()}
        >
          {status === "draft" ? "Submit application" : "Submit again"}
        </Button>
      </p>
    </div>
  );
}
