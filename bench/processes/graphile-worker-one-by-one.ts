import { serveGraphileWorker } from "./graphile-jobs.ts";

/** The default mode: a statement of its own fetches and completes each job. */
await serveGraphileWorker({});
