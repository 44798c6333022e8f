import type { Charge } from "@florin/contract/charge.ts";
import type { Decision } from "@florin/contract/decision.ts";
import { type KeyboardEvent, useRef, useState } from "react";
import { useMay } from "../../api/signed-in-person.ts";
import { Button } from "../../components/button.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { ReviewDetails } from "./review-details.tsx";
import { ReviewDialog, type Verdict } from "./review-dialog.tsx";

type PendingVerdict = { readonly decision: Decision; readonly verdict: Verdict };

const keys: Readonly<Record<string, Verdict>> = { a: "approve", d: "decline" };

/** The payments in review. J and K move between them, A approves, D declines. */
export function ReviewQueue({
  decisions,
  charges,
}: {
  decisions: readonly Decision[];
  /** The payments of the decisions, by ID. */
  charges: ReadonlyMap<string, Charge>;
}) {
  const [pendingVerdict, setPendingVerdict] = useState<PendingVerdict | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const mayReview = useMay()("reviews:write");

  const press = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || pendingVerdict) return;
    const items = [...(list.current?.children ?? [])];
    const at = items.findIndex((item) => item.contains(document.activeElement));
    const verdict = keys[event.key];
    const decision = decisions[at];
    if (verdict && decision && mayReview && decision.review === "open") {
      event.preventDefault();
      setPendingVerdict({ decision, verdict });
      return;
    }
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const next = step && items[at + step]?.querySelector<HTMLElement>("[data-first]");
    if (!next) return;
    event.preventDefault();
    next.querySelector<HTMLElement>("a, button")?.focus();
  };

  return (
    <>
      <ul ref={list} aria-label="Reviews" onKeyDown={press} className="divide-y divide-line">
        {decisions.map((decision) => (
          <li
            key={decision.id}
            className="grid gap-3 px-4 py-4 focus-within:bg-hover sm:px-5 lg:grid-cols-[minmax(0,1fr)_auto] lg:items-start"
          >
            <ReviewDetails decision={decision} charge={charges.get(decision.charge_id ?? "")} />
            <span data-first="" className="flex flex-wrap gap-2">
              {decision.review === "open" && mayReview && (
                <>
                  <Button small onClick={() => setPendingVerdict({ decision, verdict: "approve" })}>
                    Approve
                  </Button>
                  <Button
                    small
                    weight="danger"
                    onClick={() => setPendingVerdict({ decision, verdict: "decline" })}
                  >
                    Decline
                  </Button>
                </>
              )}
              {decision.charge_id && (
                <ButtonLink small weight="quiet" to={`/payments/${decision.charge_id}`}>
                  Payment
                </ButtonLink>
              )}
            </span>
          </li>
        ))}
      </ul>
      {pendingVerdict && (
        <ReviewDialog {...pendingVerdict} onClose={() => setPendingVerdict(null)} />
      )}
    </>
  );
}
