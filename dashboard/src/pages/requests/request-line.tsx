import { briefId } from "../../components/id.tsx";
import { WrappingIdentifier } from "../../components/wrapping-identifier.tsx";

/** A request in a table: its method and a shortened path. */
export function RequestLine({ method, path }: { method: string; path: string }) {
  return (
    <span className="font-mono text-xs">
      <span className="text-ink-soft">{method}</span>{" "}
      <span className="wrap-anywhere" title={path}>
        <WrappingIdentifier text={briefPath(path)} />
      </span>
    </span>
  );
}

/** Shortens IDs and removes `/api/v1`, because neither helps to tell requests apart. */
function briefPath(path: string): string {
  return path.replace("/api/v1", "").replace(/[a-z]+_[0-9a-z]{26}/g, briefId);
}
