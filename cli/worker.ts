import { runWorker } from "@florin/server/worker-process.ts";
import { serverParts } from "./server-parts.ts";

/** The script of each server process. `FLORIN_PROCESSES` sets the number of processes that `florin start` runs. */
runWorker(serverParts);
