import { runWorker } from "@florin/server/worker-process.ts";
import { serverParts } from "./server-parts.ts";

/** The script of a server process. With `--processes`, the bench's server runs several of them. */
runWorker(serverParts);
