import { Copy } from "./copy.tsx";
import { PageLink } from "./link.tsx";

type Props = {
  readonly id: string;
  /** Where the object has its page, below the account and the mode. */
  readonly to?: string | undefined;
  /** Only its end, where there is little room; the whole is copied. */
  readonly brief?: boolean;
};

/** An object's id, which is for machines: to be copied, not to be read. */
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
      <Copy text={id} label={id} />
    </span>
  );
}

export function briefId(id: string): string {
  const [prefix = "", rest = ""] = id.split("_");
  return rest.length > 12 ? `${prefix}_…${rest.slice(-8)}` : id;
}
