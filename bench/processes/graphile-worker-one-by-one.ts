import { serveGraphileWorker } from "./graphile-jobs.ts";

/** The default mode: a separate statement fetches and completes each job. */
await serveGraphileWorker({});
