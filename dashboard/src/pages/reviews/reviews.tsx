import type { Charge } from "@florin/contract/charge.ts";
import type { Decision } from "@florin/contract/decision.ts";
import { ShieldCheck } from "lucide-react";
import type { ListOf } from "../../api/api.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
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
      lead={
        <>
          Authorized payments that need a manual review. The hold that expires first is at the top.
          {/* Hidden on a phone, which has no keyboard. */}
          <span className="pointer-coarse:hidden">
            {" "}
            Press J and K to move between them, A to approve, D to decline.
          </span>
        </>
      }
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

/**
 * The number of open reviews on a page. The dashboard sorts the reviews within a page by expiry, because the API sorts
 * them by creation.
 */
const maxOpen = 100;

/**
 * Reads the payments of open reviews in one request. Reads no payments for past reviews, which show no details of the
 * payment. Returns null until the first read has ended.
 */
function useChargesOf(
  decisions: readonly Decision[],
  isOpen: boolean,
): ReadonlyMap<string, Charge> | null {
  const { data, error } = useObject<ListOf<Charge>>(
    isOpen && decisions.length > 0 ? "/charges" : null,
    { in_review: true, limit: maxOpen },
    { asOf: decisions.length },
  );
  if (isOpen && decisions.length > 0 && !data && !error) return null;
  return new Map((data?.data ?? []).map((charge) => [charge.id, charge]));
}

/** Sorts the reviews by the expiry of the hold, the earliest first. A decision without a hold is last. */
function byExpiry(
  decisions: readonly Decision[],
  charges: ReadonlyMap<string, Charge>,
): readonly Decision[] {
  const expiry = ({ charge_id }: Decision) =>
    charges.get(charge_id ?? "")?.capture_before ?? Number.POSITIVE_INFINITY;
  return decisions.toSorted((one, other) => {
    const [first, second] = [expiry(one), expiry(other)];
    // Several holds can expire in the same second. These are sorted by ID, which is the order of creation.
    return first === second ? (one.id < other.id ? -1 : 1) : first - second;
  });
}

function Queue({ review }: { review: (typeof states)[number][0] }) {
  const everyMs = review === "open" ? { everyMs: 15_000 } : {};
  const isOpen = review === "open";
  const { rows, pending, problem, next, previous } = useList<Decision>(
    "/decisions",
    { review },
    { ...everyMs, ...(isOpen && { size: maxOpen }) },
  );
  const charges = useChargesOf(rows, isOpen);
  if (problem && rows.length === 0) return <LoadError problem={problem} />;
  return (
    <Panel flush>
      {problem && <LoadError problem={problem} />}
      {pending || charges === null ? (
        <div className="p-4 sm:p-5">
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
        <ReviewQueue decisions={isOpen ? byExpiry(rows, charges) : rows} charges={charges} />
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
