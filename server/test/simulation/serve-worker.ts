import { runWorker } from "../../src/worker-process.ts";
import { serverParts } from "./serve-parts.ts";

/** The script of a server process of `serve.ts`, if FLORIN_PROCESSES is greater than 1. */
runWorker(serverParts);
