import { runWorker } from "@florin/server/worker-process.ts";
import { serverParts } from "./server-parts.ts";

/** The script of a server process, of which `florin start` runs as many as `FLORIN_PROCESSES` requests. */
runWorker(serverParts);
