import type { ReviewedApplication } from "@florin/contract/operator.ts";
import { useAdminOperation } from "../../api/admin.ts";
import { formatTime } from "../../components/date-time.tsx";
import { CheckField } from "../../components/field.tsx";
import { Problem } from "../../components/problem.tsx";

type Check = { readonly item: string; readonly checked: boolean };

/** The checklist to complete before approval. Each item shows who checked it and when. */
export function Checklist({ review }: { review: ReviewedApplication }) {
  const { account, checklist, application } = review;
  const operation = useAdminOperation<Check>(`/accounts/${account.id}/application/checklist`);
  const open = application.status === "in_review";
  return (
    <fieldset className="grid gap-3" disabled={!open || operation.pending}>
      <legend className="sr-only">Checklist</legend>
      {checklist.map(({ item, question, checked_by, checked_at }) => (
        <CheckField
          key={item}
          name={item}
          label={question}
          hint={checked_by && checked_at && `${checked_by}, ${formatTime(checked_at)}`}
          checked={checked_at !== null}
          onChange={({ currentTarget }) =>
            void operation.run({ item, checked: currentTarget.checked } satisfies Check)
          }
        />
      ))}
      {!open && (
        <p className="text-sm text-ink-soft">
          You can edit the checklist only while the application is in review.
        </p>
      )}
      {operation.problem && <Problem problem={operation.problem} />}
    </fieldset>
  );
}
