import { Worker } from "node:worker_threads";

/** The functions that a thread calls. Arguments and results are copied between the threads. */
// biome-ignore lint/suspicious/noExplicitAny: The parameters of each function are known only to its caller.
type Library = Readonly<Record<string, (options: any) => unknown>>;

export type LibraryCall = { readonly name: string; readonly options: unknown };

/** `ready` is sent once, after the library was loaded. Every other message is the response to the running call. */
export type LibraryMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "returned"; readonly result: unknown }
  | { readonly kind: "failed"; readonly error: string };

/** The function exceeded the thread's limit of time or memory, so the thread was ended. */
export class CallLimitExceeded extends Error {}

type WaitingCall = LibraryCall & {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

type Thread = {
  readonly worker: Worker;
  isReady: boolean;
  running: WaitingCall | null;
  timeLimit: NodeJS.Timeout | undefined;
};

type ThreadOptions = {
  /** The file of the thread, which calls `serveLibraryThread`. */
  readonly file: URL;
  /** The name of the thread in errors. */
  readonly name: string;
  /**
   * The maximum duration of a call. A function that exceeds it may never return, and would block the calls behind it,
   * so the thread is ended. The time for starting the thread and loading the library does not count.
   */
  readonly timeoutMs: number;
  readonly maxHeapMb?: number;
  /** The thread ends after this time without a call, which frees its memory. */
  readonly idleMs?: number;
};

/** The time after which a thread without a call ends by default. */
const defaultIdleMs = 10 * 60_000;

/**
 * Calls the functions of a library in a worker thread, which starts with the first call. A library that takes long to
 * load, or whose functions compute for long, would block all payments on the main thread.
 *
 * The calls run one after another. A call that exceeds a limit therefore fails alone. The calls that wait behind it run
 * in a new thread.
 *
 * @throws CallLimitExceeded when the function exceeds the thread's limit of time or memory.
 */
export function createLibraryThread<Functions extends Library>(options: ThreadOptions) {
  const { file, name: threadName, timeoutMs, maxHeapMb, idleMs = defaultIdleMs } = options;
  const waiting: WaitingCall[] = [];
  let thread: Thread | null = null;
  let idle: NodeJS.Timeout | undefined;

  function start(): Thread {
    const worker = new Worker(file, {
      resourceLimits: maxHeapMb ? { maxOldGenerationSizeMb: maxHeapMb } : {},
    });
    const started: Thread = { worker, isReady: false, running: null, timeLimit: undefined };
    worker.on("message", (message: LibraryMessage) => {
      if (message.kind === "ready") started.isReady = true;
      else finish(started, message);
      runNext();
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      abandon(started, isMemory ? exceeded("memory") : error);
    });
    worker.on("exit", () => abandon(started, new Error(`${threadName}: the thread exited`)));
    // The listeners must be added before this call, because adding a listener references the worker again. A process
    // that stops does not wait for an unreferenced worker.
    worker.unref();
    return started;
  }

  /** Sends the next waiting call to the thread, if the thread is ready and not busy. */
  function runNext(): void {
    clearTimeout(idle);
    if (waiting.length === 0) {
      if (thread && !thread.running) idle = setTimeout(endIdleThread, idleMs).unref();
      return;
    }
    thread ??= start();
    if (!thread.isReady || thread.running) return;
    const called = thread;
    const call = waiting.shift() as WaitingCall;
    called.running = call;
    called.worker.postMessage({ name: call.name, options: call.options } satisfies LibraryCall);
    called.timeLimit = setTimeout(() => {
      abandon(called, exceeded("time"));
      void called.worker.terminate();
    }, timeoutMs).unref();
  }

  /** Ends the thread. A call that arrives before the thread has exited starts a new thread. */
  function endIdleThread(): void {
    const ended = thread;
    thread = null;
    void ended?.worker.terminate();
  }

  function finish(called: Thread, message: Exclude<LibraryMessage, { kind: "ready" }>): void {
    const call = called.running;
    clearTimeout(called.timeLimit);
    called.running = null;
    if (message.kind === "returned") call?.resolve(message.result);
    else call?.reject(new Error(message.error));
  }

  /** Fails the running call of a thread that has ended, and continues with the waiting calls in a new thread. */
  function abandon(ended: Thread, error: Error): void {
    if (thread !== ended) return;
    thread = null;
    clearTimeout(ended.timeLimit);
    ended.running?.reject(error);
    // A thread that fails while it loads the library would fail again.
    if (!ended.isReady) for (const { reject } of waiting.splice(0)) reject(error);
    runNext();
  }

  function exceeded(limit: "time" | "memory"): CallLimitExceeded {
    return new CallLimitExceeded(`${threadName}: the call has exceeded its ${limit} limit`);
  }

  return <Name extends keyof Functions & string>(
    name: Name,
    argument: Parameters<Functions[Name]>[0],
  ): Promise<Awaited<ReturnType<Functions[Name]>>> => {
    return new Promise((resolve, reject) => {
      waiting.push({
        name,
        options: argument,
        resolve: resolve as WaitingCall["resolve"],
        reject,
      });
      runNext();
    });
  };
}
