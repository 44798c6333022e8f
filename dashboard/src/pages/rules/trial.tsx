import type { RuleTrial } from "@florin/contract/rule.ts";
import { useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { Id } from "../../components/id.tsx";
import { Problem } from "../../components/problem.tsx";

/** Tests the rule on past payments, with the data known at the time of each payment. The result is not stored. */
export function Trial({ expression }: { expression: string }) {
  const trial = useTrial();
  const { result, tried } = trial;
  return (
    <div className="grid gap-3 rounded-md bg-sunken p-4">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          small
          busy={trial.pending}
          unavailable={expression.trim() === "" ? "Enter a condition first." : null}
          onClick={() => trial.run(expression)}
        >
          Test on past payments
        </Button>
        <span role="status" className="text-sm text-ink-soft">
          {result
            ? summary(result)
            : "Uses your latest 1,000 payments, with the data known at the time."}
        </span>
      </div>
      {trial.problem && <Problem problem={trial.problem} />}
      {result && tried !== expression && (
        <p className="text-sm text-warning">
          The condition has changed since this test. Test it again.
        </p>
      )}
      {result && result.matched > 0 && <Matches result={result} />}
    </div>
  );
}

function useTrial() {
  const [result, setResult] = useState<RuleTrial | null>(null);
  const operation = useOperation<string, RuleTrial>(
    (api, expression, key) => api.post("/rule_trials", { expression, limit: 1000 }, key),
    { done: setResult },
  );
  return {
    pending: operation.pending,
    problem: operation.problem,
    run: (expression: string) => void operation.run(expression),
    result,
    tried: result?.expression ?? null,
  };
}

function summary({ matched, tried }: RuleTrial): string {
  if (tried === 0) return "There are no payments to test yet.";
  const share = Math.round((matched / tried) * 1000) / 10;
  return `Matches ${matched} of ${tried} payments (${share}%).`;
}

function Matches({ result }: { result: RuleTrial }) {
  const { matched_succeeded: good, matched_failed: bad, matched, charges } = result;
  const parts = [
    ["succeeded", good, "bg-positive"],
    ["failed", bad, "bg-negative"],
    ["open or canceled", matched - good - bad, "bg-line-strong"],
  ] as const;
  return (
    <>
      <div aria-hidden="true" className="flex h-2 overflow-hidden rounded-full">
        {parts.map(([words, count, color]) => (
          <span key={words} className={color} style={{ width: `${(count / matched) * 100}%` }} />
        ))}
      </div>
      <p className="text-sm">
        Of these:{" "}
        {parts
          .filter(([, count]) => count > 0)
          .map(([words, count]) => `${count} ${words}`)
          .join(", ")}
        .
      </p>
      <details className="text-sm">
        <summary className="cursor-pointer text-ink-soft">Latest matches</summary>
        <ul className="mt-2 grid gap-1 sm:grid-cols-2">
          {charges.map((id) => (
            <li key={id}>
              <Id id={id} to={`/payments/${id}`} brief />
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}
