import { serveLibraryThread } from "../../platform/processes/serve-library-thread.ts";
import { renderEvidence } from "./evidence-document.ts";
import { inspectFile } from "./evidence-files.ts";

/** Runs in a worker thread and reads and writes PDF files. See `render-evidence.ts`. */
const library = { inspectFile, renderEvidence };

export type EvidenceLibrary = typeof library;

serveLibraryThread(library);
