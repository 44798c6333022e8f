import type { Decision } from "@florin/contract/decision.ts";
import { type KeyboardEvent, useRef, useState } from "react";
import { useMay } from "../../api/me.ts";
import { inWords, Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Ago } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Money } from "../../components/money.tsx";
import { ReviewDialog, type Verdict } from "./review-dialog.tsx";

type PendingVerdict = { readonly decision: Decision; readonly verdict: Verdict };

const keys: Readonly<Record<string, Verdict>> = { a: "approve", d: "decline" };

/** The payments in review. J and K move between them, A approves, D declines. */
export function ReviewQueue({ decisions }: { decisions: readonly Decision[] }) {
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
            className="grid gap-3 px-4 py-4 focus-within:bg-hover sm:px-5 lg:grid-cols-[minmax(0,1fr)_auto] lg:items-center"
          >
            <DecisionDetails decision={decision} />
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

function DecisionDetails({ decision }: { decision: Decision }) {
  const { amount, currency, created, email, ip, risk_score, review, id } = decision;
  return (
    <div className="grid min-w-0 gap-1.5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-lg font-semibold">
          <Money amount={amount} currency={currency} named />
        </span>
        <Risk score={risk_score} level={decision.risk_level} />
        {review && review !== "open" && <Status status={review} />}
        <span className="text-sm text-ink-soft">
          <Ago at={created} />
        </span>
      </p>
      <p className="wrap-anywhere">{reasonText(decision)}</p>
      <p className="flex flex-wrap items-center gap-x-3 text-sm text-ink-soft">
        {email && <span className="break-all">{email}</span>}
        {ip && <span>{ip}</span>}
        <Id id={id} brief />
      </p>
    </div>
  );
}

function Risk({ score, level }: { score: number; level: string }) {
  const tone = level === "normal" ? "positive" : level === "elevated" ? "warning" : "negative";
  return <Status status={`risk_${score}`} tone={tone} />;
}

function reasonText({ reasons, matched_rules }: Decision): string {
  const words = reasons.map(inWords);
  if (words.length > 0) return words.join(" · ");
  return matched_rules.length > 0 ? "Sent to review by a rule." : "No reason recorded.";
}
