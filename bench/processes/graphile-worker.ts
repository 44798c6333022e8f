import { serveGraphileWorker } from "./graphile-jobs.ts";

/** The fastest mode: jobs are fetched and completed in batches. */
await serveGraphileWorker({
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
});
