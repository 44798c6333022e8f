import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { settingsOfThisProcess } from "./child.ts";
import { serveQueue } from "./queue.ts";

/** Serves a queue of graphile-worker with jobs that do nothing. */
export async function serveGraphileWorker(
  workerOptions: GraphileConfig.WorkerOptions,
): Promise<void> {
  const { databaseUrl, jobs } = settingsOfThisProcess<{ databaseUrl: string; jobs: number }>();
  const silent = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger: silent });
  await utils.migrate();

  serveQueue({
    async fill() {
      await utils.withPgClient((client) =>
        client.query(
          "select graphile_worker.add_job('nothing', json_build_object('n', n)) from generate_series(1, $1) n",
          [jobs],
        ),
      );
      return jobs;
    },
    async empty(total) {
      let done = 0;
      const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
      const runner = await run({
        connectionString: databaseUrl,
        logger: silent,
        noHandleSignals: true,
        preset: {
          worker: {
            concurrentJobs: 24,
            maxPoolSize: 10,
            pollInterval: 500,
            ...workerOptions,
          },
        },
        taskList: {
          nothing: () => {
            done++;
            if (done === total) finish();
          },
        },
      });
      await finished;
      // Completions are written in batches. `stop` waits for the last batch.
      await runner.stop();
    },
    close: async () => utils.release(),
  });
}
