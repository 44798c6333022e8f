import { Worker } from "node:worker_threads";
import type { WebauthnCall, WebauthnLibrary, WebauthnResponse } from "./webauthn-thread.ts";

type Waiting = {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

type Thread = { readonly worker: Worker; readonly waiting: Map<number, Waiting> };

/** The thread ends after this time without a call, which frees its memory. */
const idleMs = 10 * 60_000;

let thread: Thread | null = null;
let calls = 0;
let idle: NodeJS.Timeout | undefined;

/**
 * Calls a function of the WebAuthn library in a worker thread, which starts with the first call. Loading the library
 * takes 28 MB and 200 ms of CPU time. On the main thread it would block all payments, and a process that only serves
 * charges would load it for nothing.
 */
export function callWebauthn<Name extends keyof WebauthnLibrary>(
  name: Name,
  options: Parameters<WebauthnLibrary[Name]>[0],
): Promise<Awaited<ReturnType<WebauthnLibrary[Name]>>> {
  thread ??= startThread();
  clearTimeout(idle);
  idle = setTimeout(endThread, idleMs).unref();
  const { worker, waiting } = thread;
  return new Promise((resolve, reject) => {
    const call: WebauthnCall = { id: ++calls, name, options };
    worker.postMessage(call);
    waiting.set(call.id, { resolve: resolve as Waiting["resolve"], reject });
  });
}

function startThread(): Thread {
  const worker = new Worker(new URL("./webauthn-thread.ts", import.meta.url));
  const started: Thread = { worker, waiting: new Map() };
  worker.on("message", ({ id, result, error }: WebauthnResponse) => {
    const call = started.waiting.get(id);
    started.waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  });
  worker.on("error", (error) => failAll(started, error as Error));
  worker.on("exit", () => failAll(started, new Error("webauthn: the worker thread exited")));
  // The listeners must be added before this call, because adding a listener references the worker again. A process that
  // stops does not wait for an unreferenced worker.
  worker.unref();
  return started;
}

function failAll(ended: Thread, error: Error): void {
  if (thread === ended) thread = null;
  for (const { reject } of ended.waiting.values()) reject(error);
  ended.waiting.clear();
}

function endThread(): void {
  void thread?.worker.terminate();
}
