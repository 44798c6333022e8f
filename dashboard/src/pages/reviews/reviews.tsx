import type { Decision } from "@florin/contract/decision.ts";
import { ShieldCheck } from "lucide-react";
import { useList } from "../../api/use-list.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { ReviewQueue } from "./review-queue.tsx";

const states = [
  ["open", "Open"],
  ["approved", "Approved"],
  ["declined", "Declined"],
] as const;

/** The review queue and past reviews. */
export function ReviewsPage() {
  const [{ review = "open" }, change] = useUrlQuery();
  return (
    <Page
      title="Reviews"
      lead="Authorized payments that need a manual review. Press J and K to move between them, A to approve, D to decline."
      actions={<ButtonLink to="/rules">Rules</ButtonLink>}
    >
      <Tabs
        label="Reviews"
        open={review}
        onOpen={(key) => change({ review: key, after: undefined, before: undefined })}
        tabs={states.map(([key, label]) => ({
          key,
          label,
          content: review === key ? <Queue review={key} /> : null,
        }))}
      />
    </Page>
  );
}

function Queue({ review }: { review: (typeof states)[number][0] }) {
  const everyMs = review === "open" ? { everyMs: 15_000 } : {};
  const { rows, pending, problem, next, previous } = useList<Decision>(
    "/decisions",
    { review },
    everyMs,
  );
  if (problem && rows.length === 0) return <LoadError problem={problem} />;
  return (
    <Panel flush>
      {problem && <LoadError problem={problem} />}
      {pending ? (
        <div className="p-5">
          <Skeleton lines={4} />
        </div>
      ) : rows.length === 0 ? (
        <EmptyState
          icon={ShieldCheck}
          title={review === "open" ? "No payments to review" : `No ${review} payments`}
        >
          {review === "open"
            ? "Payments with elevated risk and payments that your rules send to review appear here. They are authorized, and captured only after approval."
            : `Payments that were ${review} in review appear here.`}
        </EmptyState>
      ) : (
        <ReviewQueue decisions={rows} />
      )}
      {(next || previous) && (
        <nav aria-label="Pages" className="flex justify-end gap-2 border-t border-line px-5 py-2.5">
          <Button small disabled={!previous} onClick={() => previous?.()}>
            Previous
          </Button>
          <Button small disabled={!next} onClick={() => next?.()}>
            Next
          </Button>
        </nav>
      )}
    </Panel>
  );
}
