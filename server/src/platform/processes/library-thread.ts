import { Worker } from "node:worker_threads";

/** The functions that a thread calls. Arguments and results are copied between the threads. */
// biome-ignore lint/suspicious/noExplicitAny: The parameters of each function are known only to its caller.
type Library = Readonly<Record<string, (options: any) => unknown>>;

export type LibraryCall = {
  readonly id: number;
  readonly name: string;
  readonly options: unknown;
};

export type LibraryResponse = {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
};

type Waiting = {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

type Thread = { readonly worker: Worker; readonly waiting: Map<number, Waiting> };

type ThreadOptions = {
  /** The file of the thread, which calls `serveLibrary`. */
  readonly file: URL;
  /** The name of the thread in errors. */
  readonly name: string;
  /** The time after which a call fails and the thread is ended, because a function does not return. */
  readonly timeoutMs?: number;
  readonly maxHeapMb?: number;
};

/** The thread ends after this time without a call, which frees its memory. */
const idleMs = 10 * 60_000;

/**
 * Calls the functions of a library in a worker thread, which starts with the first call. A library that takes long to
 * load, or whose functions compute for long, would block all payments on the main thread.
 */
export function createLibraryThread<Functions extends Library>(options: ThreadOptions) {
  let thread: Thread | null = null;
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;

  function start(): Thread {
    const worker = new Worker(options.file, {
      resourceLimits: options.maxHeapMb ? { maxOldGenerationSizeMb: options.maxHeapMb } : {},
    });
    const started: Thread = { worker, waiting: new Map() };
    worker.on("message", ({ id, result, error }: LibraryResponse) => {
      const call = started.waiting.get(id);
      started.waiting.delete(id);
      if (error === undefined) call?.resolve(result);
      else call?.reject(new Error(error));
    });
    worker.on("error", (error) => failAll(started, error as Error));
    worker.on("exit", () => failAll(started, new Error(`${options.name}: the thread exited`)));
    // The listeners must be added before this call, because adding a listener references the worker again. A process
    // that stops does not wait for an unreferenced worker.
    worker.unref();
    return started;
  }

  function failAll(ended: Thread, error: Error): void {
    if (thread === ended) thread = null;
    for (const { reject } of ended.waiting.values()) reject(error);
    ended.waiting.clear();
  }

  /** Ends the thread if it has not returned the call. Concurrent calls fail with it, and can be repeated. */
  function endIfBusy(called: Thread, id: number): void {
    if (!called.waiting.has(id)) return;
    failAll(called, new Error(`${options.name}: the call has timed out`));
    void called.worker.terminate();
  }

  return <Name extends keyof Functions & string>(
    name: Name,
    argument: Parameters<Functions[Name]>[0],
  ): Promise<Awaited<ReturnType<Functions[Name]>>> => {
    thread ??= start();
    clearTimeout(idle);
    idle = setTimeout(() => void thread?.worker.terminate(), idleMs).unref();
    const called = thread;
    return new Promise((resolve, reject) => {
      const call: LibraryCall = { id: ++calls, name, options: argument };
      called.worker.postMessage(call);
      called.waiting.set(call.id, { resolve: resolve as Waiting["resolve"], reject });
      const { timeoutMs } = options;
      if (timeoutMs) setTimeout(() => endIfBusy(called, call.id), timeoutMs).unref();
    });
  };
}
