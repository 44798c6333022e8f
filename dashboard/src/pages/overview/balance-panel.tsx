import type { Balance } from "@florin/contract/balance.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { PageLink } from "../../components/link.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Money } from "../../components/money.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

/** The merchant's balance. */
export function BalancePanel() {
  const may = useMay();
  const { data, error } = useObject<Balance>(may("balance:read") ? "/balance" : null);
  if (!may("balance:read")) return null;
  return (
    <Panel title="Balance" actions={<PageLink to="/balance">View balance</PageLink>}>
      {error && <LoadError problem={error} />}
      {!data && !error && <Skeleton lines={2} />}
      {data && (
        <dl className="flex flex-wrap gap-x-4 gap-y-3">
          <Amounts label="Available" amounts={data.available} />
          <Amounts label="Pending" amounts={data.pending} />
        </dl>
      )}
    </Panel>
  );
}

function Amounts({ label, amounts }: { label: string; amounts: Balance["available"] }) {
  return (
    <div className="grow basis-32">
      <dt className="text-sm text-ink-soft">{label}</dt>
      <dd className="grid gap-0.5 text-lg font-semibold">
        {amounts.length === 0 && <NoValue />}
        {amounts.map(({ currency, amount }) => (
          <Money key={currency} amount={amount} currency={currency} named />
        ))}
      </dd>
    </div>
  );
}
