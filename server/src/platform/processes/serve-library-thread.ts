import { parentPort } from "node:worker_threads";
import type { LibraryCall, LibraryMessage } from "./library-thread.ts";

/** Serves the calls of `createLibraryThread`. Runs in the worker thread, after the library was loaded. */
export function serveLibraryThread(library: object): void {
  const functions = library as Readonly<Record<string, (options: unknown) => unknown>>;
  const send = (message: LibraryMessage) => parentPort?.postMessage(message);
  parentPort?.on("message", async ({ name, options }: LibraryCall) => {
    try {
      send({ kind: "returned", result: await functions[name]?.(options) });
    } catch (error) {
      send({ kind: "failed", error: error instanceof Error ? error.message : String(error) });
    }
  });
  send({ kind: "ready" });
}
