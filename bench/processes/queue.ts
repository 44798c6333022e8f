import { serveBench } from "./child.ts";

/** The result of filling and emptying a queue once. The time covers only emptying the queue. */
export type Round = { readonly jobs: number; readonly seconds: number };

/** The state of a queue process. `round` is null while a round is running. */
export type QueueState = { readonly round: Round | null };

/** Serves a process that fills its queue and empties it again, one round per request. */
export function serveQueue(queue: {
  readonly fill: () => Promise<number>;
  /** Resolves when every job has ended and its end is recorded. */
  readonly empty: (jobs: number) => Promise<void>;
  readonly close: () => Promise<void>;
}): void {
  let running = false;
  let done: Round | null = null;

  async function run(): Promise<void> {
    const jobs = await queue.fill();
    const started = performance.now();
    await queue.empty(jobs);
    done = { jobs, seconds: (performance.now() - started) / 1000 };
    running = false;
  }

  serveBench({}, queue.close, (): QueueState => {
    const round = done;
    done = null;
    if (!round && !running) {
      running = true;
      run().catch((error) => {
        console.error(error);
        process.exit(1);
      });
    }
    return { round };
  });
}
