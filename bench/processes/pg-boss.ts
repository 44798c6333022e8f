import { PgBoss } from "pg-boss";
import { settingsOfThisProcess } from "./child.ts";
import { serveQueue } from "./queue.ts";

/** pg-boss with jobs that do nothing, fetched and completed in batches by several workers of one process. */
const { databaseUrl, jobs } = settingsOfThisProcess<{ databaseUrl: string; jobs: number }>();
const boss = new PgBoss({ connectionString: databaseUrl, max: 10 });
boss.on("error", console.error);
await boss.start();
const queue = "nothing";
await boss.createQueue(queue);

serveQueue({
  async fill() {
    for (let left = jobs; left > 0; left -= 1_000) {
      await boss.insert(
        queue,
        Array.from({ length: Math.min(left, 1_000) }, (_, n) => ({ data: { n } })),
      );
    }
    return jobs;
  },
  async empty(total) {
    let done = 0;
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const options = { batchSize: 500, pollingIntervalSeconds: 0.5, localConcurrency: 4 };
    await boss.work(queue, options, async (batch) => {
      done += batch.length;
      if (done === total) finish();
    });
    await finished;
    await boss.offWork(queue);
  },
  close: () => boss.stop(),
});
