import { serveGraphileWorker } from "./graphile-jobs.ts";

/** The default mode: each job is fetched and completed with its own statements. */
await serveGraphileWorker({});
