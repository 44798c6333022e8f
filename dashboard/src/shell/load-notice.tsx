import { useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { Button } from "../components/button.tsx";
import { loadFailure } from "./load-page.ts";

/**
 * Shows why the code of the next page cannot be loaded, and loads it as soon as that is possible. The current page
 * stays open until then.
 */
export function LoadNotice() {
  const failure = useSyncExternalStore(loadFailure.subscribe, loadFailure.get);
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  const router = useRouter();
  const hasInput = useHasInput();
  // Hovering a link also loads its page's code. If that fails, no notice is shown.
  const shown = isLoading ? failure : null;
  useEffect(() => {
    // The address is already that of the next page, so a reload opens the next page.
    const reloads = shown === "needs_reload" || (shown === "new_version" && !hasInput());
    if (reloads) location.reload();
  }, [shown, hasInput]);
  if (!isLoading) return null;
  if (!shown) return <LoadingBar />;
  return (
    <div
      role="alert"
      className="fixed inset-x-4 bottom-5 z-50 mx-auto flex max-w-xl flex-wrap items-center gap-3 rounded-md border border-line bg-surface px-4 py-3 shadow-raised"
    >
      <p className="min-w-0 flex-1 basis-60">{messages[shown]}</p>
      <span className="flex flex-wrap gap-2">
        {shown === "new_version" && (
          <Button small weight="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        )}
        <Button small onClick={() => router.history.back()}>
          Stay on this page
        </Button>
      </span>
    </div>
  );
}

const messages = {
  offline: "You are offline. The page opens when you are online again.",
  unreachable: "Could not reach the service. Retrying automatically.",
  needs_reload: "Reloading to open the page.",
  new_version:
    "A new version is available. Reload to open the page. Reloading discards what you typed on this page.",
} as const;

/** Returns a function that reports whether the person has typed something since the last navigation. */
function useHasInput(): () => boolean {
  const router = useRouter();
  const typed = useRef(false);
  const hasInput = useRef(() => typed.current);
  useEffect(() => {
    const note = () => {
      typed.current = true;
    };
    document.addEventListener("input", note);
    const stop = router.subscribe("onResolved", () => {
      typed.current = false;
    });
    return () => {
      document.removeEventListener("input", note);
      stop();
    };
  }, [router]);
  return hasInput.current;
}

/** A bar at the top of the window while the next page loads, because the current page stays visible. */
function LoadingBar() {
  return (
    <div
      role="progressbar"
      aria-label="Loading"
      className="loading-bar fixed inset-x-0 top-0 z-50 h-0.5 bg-accent"
    />
  );
}
