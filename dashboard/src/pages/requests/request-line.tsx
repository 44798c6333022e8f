import { Breakable } from "../../components/breakable.tsx";
import { briefId } from "../../components/id.tsx";

/** What was asked for, in a table: the method and as much of the path as tells two requests apart. */
export function RequestLine({ method, path }: { method: string; path: string }) {
  return (
    <span className="font-mono text-xs">
      <span className="text-ink-soft">{method}</span>{" "}
      <span className="wrap-anywhere" title={path}>
        <Breakable text={briefPath(path)} />
      </span>
    </span>
  );
}

/** `/api/v1/charges/ch_01m7…` is mostly what tells no two requests apart. */
function briefPath(path: string): string {
  return path.replace("/api/v1", "").replace(/[a-z]+_[0-9a-z]{26}/g, briefId);
}
