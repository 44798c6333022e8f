import { parentPort } from "node:worker_threads";
import type { LibraryCall, LibraryResponse } from "./library-thread.ts";

/** Serves the calls of `createLibraryThread`. Runs in the worker thread. */
export function serveLibrary(library: object): void {
  const functions = library as Readonly<Record<string, (options: unknown) => unknown>>;
  parentPort?.on("message", async ({ id, name, options }: LibraryCall) => {
    const respond = (rest: Omit<LibraryResponse, "id">) => parentPort?.postMessage({ id, ...rest });
    try {
      respond({ result: await functions[name]?.(options) });
    } catch (error) {
      respond({ error: error instanceof Error ? error.message : String(error) });
    }
  });
}
