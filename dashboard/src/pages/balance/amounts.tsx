import type { Balance } from "@florin/contract/balance.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { LoadError } from "../../components/load-error.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

/** The available, pending and total balance in each currency. */
export function Amounts({
  balance,
  problem,
}: {
  balance: Balance | undefined;
  problem: ApiProblem | null;
}) {
  if (!balance && problem) return <LoadError problem={problem} />;
  if (!balance) {
    return (
      <Panel>
        <Skeleton lines={2} />
      </Panel>
    );
  }
  const currencies = balance.available.map(({ currency }) => currency);
  return (
    <>
      {problem && <LoadError problem={problem} />}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(28rem,100%),1fr))] gap-4">
        {currencies.map((currency) => (
          <Panel key={currency} title={currency.toUpperCase()}>
            <dl className="flex flex-wrap gap-x-4 gap-y-3">
              <Amount
                label="Available"
                amount={of(balance.available, currency)}
                currency={currency}
                strong
              />
              <Amount label="Pending" amount={of(balance.pending, currency)} currency={currency} />
              <Amount
                label="Total"
                amount={of(balance.available, currency) + of(balance.pending, currency)}
                currency={currency}
              />
            </dl>
          </Panel>
        ))}
      </div>
    </>
  );
}

function Amount({
  label,
  amount,
  currency,
  strong = false,
}: {
  label: string;
  amount: number;
  currency: string;
  strong?: boolean;
}) {
  return (
    <div className="grow basis-28">
      <dt className="text-sm text-ink-soft">{label}</dt>
      <dd
        className={`${strong ? "text-lg font-semibold" : "text-lg"} ${amount < 0 ? "text-negative" : ""}`}
      >
        <Money amount={amount} currency={currency} />
      </dd>
    </div>
  );
}

function of(amounts: Balance["available"], code: string): number {
  return amounts.find(({ currency }) => currency === code)?.amount ?? 0;
}
