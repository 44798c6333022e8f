import { serveGraphileWorker } from "./graphile-jobs.ts";

/** As it comes: each job is fetched and completed by a statement of its own. */
await serveGraphileWorker({});
