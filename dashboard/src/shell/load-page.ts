/**
 * The reason why a page's code cannot be loaded at the moment. `needs_reload` means that the service responds, and that
 * the browser nevertheless does not load the code: browsers may keep a failed module until the document is reloaded
 * (HTML standard, "module map").
 */
export type LoadFailure = "offline" | "new_version" | "unreachable" | "needs_reload";

let failure: LoadFailure | null = null;
const listeners = new Set<() => void>();

/** The current failure, as an external store for `useSyncExternalStore`. */
export const loadFailure = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: () => failure,
};

function setFailure(next: LoadFailure | null): void {
  failure = next;
  for (const listener of listeners) listener();
}

/**
 * Loads the code of a page, and retries until the load succeeds. The current page stays in the document in the
 * meantime, so that no input is lost. Throws if the loaded code itself throws.
 */
export async function loadPage<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let tries = 0; ; tries++) {
    try {
      const module = await load();
      if (failure) setFailure(null);
      return module;
    } catch (error) {
      if (!isFetchError(error)) throw error;
      setFailure(
        (await explainFailure()) ?? (tries < triesBeforeReload() ? "unreachable" : "needs_reload"),
      );
      await retryTime(tries);
    }
  }
}

/** Browsers have no error code for a failed `import()`, so the messages of Chrome, Firefox and Safari are compared. */
function isFetchError(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|Importing a module script failed|Unable to preload/i.test(
      error.message,
    )
  );
}

/**
 * Returns the number of tries after which a reload is necessary although the service responds. A document that was just
 * reloaded tries for 15 seconds, so that a file that cannot be loaded does not cause repeated reloads.
 */
function triesBeforeReload(): number {
  const [navigation] = performance.getEntriesByType("navigation");
  return (navigation as PerformanceNavigationTiming | undefined)?.type === "reload" ? 4 : 1;
}

/**
 * Returns the reason why a file could not be loaded, or null if the service now responds. After a deployment, the
 * service no longer has the files of the earlier version, and its HTML page refers to another script.
 */
async function explainFailure(): Promise<LoadFailure | null> {
  if (!navigator.onLine) return "offline";
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  try {
    const response = await fetch("/dashboard", { cache: "no-store" });
    if (!response.ok || !script) return "unreachable";
    const page = await response.text();
    return page.includes(new URL(script.src).pathname) ? null : "new_version";
  } catch {
    return navigator.onLine ? "unreachable" : "offline";
  }
}

const maxDelayMs = 10_000;

/** Resolves when the browser is online again, or after a delay that grows with each try. */
function retryTime(tries: number): Promise<void> {
  return new Promise((resolve) => {
    const proceed = () => {
      clearTimeout(timer);
      removeEventListener("online", proceed);
      resolve();
    };
    const timer = setTimeout(proceed, Math.min(1_000 * 2 ** tries, maxDelayMs));
    addEventListener("online", proceed);
  });
}
