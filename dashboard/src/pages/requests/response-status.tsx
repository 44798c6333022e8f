import { Badge, type Tone } from "../../components/badge.tsx";
import { WrappingIdentifier } from "../../components/wrapping-identifier.tsx";

type Props = { readonly status: number; readonly error_code: string | null };

export function ResponseStatus({ status, error_code }: Props) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <Badge tone={toneOf(status)}>{status}</Badge>
      {error_code && (
        <code className="font-mono text-xs text-ink-soft">
          <WrappingIdentifier text={error_code} />
        </code>
      )}
    </span>
  );
}

function toneOf(status: number): Tone {
  if (status >= 500) return "negative";
  return status >= 400 ? "warning" : "positive";
}
