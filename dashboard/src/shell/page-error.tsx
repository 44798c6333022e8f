import { ApiProblem } from "../api/problem.ts";
import { Problem } from "../components/problem.tsx";
import { PlainPage } from "./plain-page.tsx";

/** Replaces the page after an unexpected error. The button reloads the page. */
export function PageError({ error }: { error: unknown }) {
  const reload = () => location.reload();
  if (error instanceof ApiProblem) {
    return (
      <PlainPage title="Could not load this page">
        <Problem problem={error} retry={reload} />
      </PlainPage>
    );
  }
  return (
    <PlainPage
      title="Something went wrong"
      lead="An unexpected error occurred. Reload the page to try again."
    >
      <button type="button" className="link" onClick={reload}>
        Reload
      </button>
      <p className="mt-4 font-mono text-xs break-all text-ink-soft">{String(error)}</p>
    </PlainPage>
  );
}
