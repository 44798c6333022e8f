import { runWorker } from "@florin/server/worker-process.ts";
import { serverParts } from "./server-parts.ts";

/** The script of a server process, of which the bench's server runs several with `--processes`. */
runWorker(serverParts);
