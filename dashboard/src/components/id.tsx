import { useMay } from "../api/signed-in-person.ts";
import { CopyButton } from "./copy-button.tsx";
import { PageLink } from "./link.tsx";

type Props = {
  readonly id: string;
  /** The path of the object's page, below account and mode. */
  readonly to?: string | undefined;
  /** Shows only the end of the ID. The copy button still copies the whole ID. */
  readonly brief?: boolean;
};

/** An object's ID with a copy button. */
export function Id({ id, to, brief = false }: Props) {
  const shown = brief ? briefId(id) : id;
  const text = (
    <code className="font-mono text-xs break-all" title={brief ? id : undefined}>
      {shown}
    </code>
  );
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      {to ? <PageLink to={to}>{text}</PageLink> : text}
      <CopyButton text={id} label={id} />
    </span>
  );
}

/**
 * The ID of a balance transaction, which links to the balance transactions of its source. The link is shown only to
 * people who can read the balance.
 */
export function BalanceTransactionId({ id, source }: { id: string; source: string }) {
  const may = useMay();
  return <Id id={id} to={may("balance:read") ? `/balance?source=${source}` : undefined} brief />;
}

export function briefId(id: string): string {
  const [prefix = "", rest = ""] = id.split("_");
  return rest.length > 12 ? `${prefix}_…${rest.slice(-8)}` : id;
}
