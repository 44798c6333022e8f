/** The maximum number of keys per statement. */
const maxBatch = 64;
/** The maximum number of concurrent statements. */
const maxRunning = 2;

type Waiting<Key, Result> = {
  readonly key: Key;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Returns a function that reads one key. Calls in the same turn of the event loop share a statement, and so do calls
 * that wait until a statement ends. `read` returns one result for each key, in the order of the keys. If `read` fails,
 * all calls of the batch fail.
 */
export function batchReads<Key, Result>(
  read: (keys: readonly Key[]) => Promise<readonly Result[]>,
): (key: Key) => Promise<Result> {
  let waiting: Waiting<Key, Result>[] = [];
  let running = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || running === maxRunning || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      void run(batch);
      schedule();
    });
  }

  async function run(batch: readonly Waiting<Key, Result>[]): Promise<void> {
    running += 1;
    try {
      const results = await read(batch.map(({ key }) => key));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running -= 1;
      schedule();
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      schedule();
    });
}
