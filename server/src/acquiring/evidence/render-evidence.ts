import { CallLimitExceeded, createLibraryThread } from "../../platform/processes/library-thread.ts";
import type { DisputeResponse, DocumentLimits } from "../processor.ts";
import type { EvidenceDocument } from "./evidence-document.ts";
import type { EvidenceLibrary } from "./evidence-thread.ts";

const file = new URL("./evidence-thread.ts", import.meta.url);
const maxHeapMb = 256;

/**
 * Inspects uploaded files in a separate thread, so that a file which takes long to parse does not delay the evidence of
 * other merchants.
 */
const inspection = createLibraryThread<EvidenceLibrary>({
  file,
  name: "evidence files",
  timeoutMs: 5_000,
  maxHeapMb,
});

/** Returns the number of pages of an uploaded file, or the reason why the file cannot be part of the evidence. */
export async function inspectEvidenceFile(
  upload: Parameters<EvidenceLibrary["inspectFile"]>[0],
): ReturnType<EvidenceLibrary["inspectFile"]> {
  try {
    return await inspection("inspectFile", upload);
  } catch (error) {
    if (!(error instanceof CallLimitExceeded)) throw error;
    return {
      kind: "unreadable",
      problem: "The file is too complex to read. Send a simpler file, such as a scan.",
    };
  }
}

/** Renders the response to a dispute as a PDF, in a worker thread. */
export const renderResponse = createRenderer("evidence documents");

const preview = createRenderer("evidence previews");

/**
 * Renders the document of `renderResponse` for a merchant who has not submitted it yet. Previews have a separate
 * thread. Otherwise a response to a dispute could wait behind the previews of all merchants until its lease expires,
 * and another process would send it too.
 */
export async function previewResponse(
  response: DisputeResponse,
  limits: DocumentLimits,
): Promise<EvidenceDocument> {
  try {
    return await preview(response, limits);
  } catch (error) {
    if (!(error instanceof CallLimitExceeded)) throw error;
    return {
      kind: "too_long",
      problem: "The evidence is too complex to render. Remove files, or upload simpler ones.",
    };
  }
}

/** Returns a function that renders responses in its own thread. `name` is the name of the thread. */
function createRenderer(name: string) {
  const thread = createLibraryThread<EvidenceLibrary>({
    file,
    name,
    timeoutMs: 20_000,
    maxHeapMb,
  });
  return async (response: DisputeResponse, limits: DocumentLimits): Promise<EvidenceDocument> => {
    const document = await thread("renderEvidence", { response, limits });
    return document.kind === "document"
      ? { ...document, pdf: Buffer.from(document.pdf) }
      : document;
  };
}
