import { PDFDocument } from "@cantoo/pdf-lib";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import type { EvidenceFile } from "../processor.ts";
import { limitDecodedBytes, TooManyDecodedBytes } from "./decoded-streams.ts";
import { ImageTooLarge, stillImageOf } from "./png-file.ts";

/** Reads uploaded files and adds them to the evidence. Runs in a worker thread (`evidence-thread.ts`). */

export type FileInspection =
  | { readonly kind: "readable"; readonly pages: number }
  | { readonly kind: "unreadable"; readonly problem: string };

/** The maximum number of pages of one file. More pages would not fit into any acquirer's limits. */
const maxPagesOfFile = 19;

/** Returns the number of pages of a file, or the reason why the file cannot be part of the evidence. */
export async function inspectFile(file: {
  readonly mediaType: DocumentMediaType;
  readonly content: Uint8Array;
}): Promise<FileInspection> {
  try {
    const document = await PDFDocument.create();
    await append(document, file);
    const pages = document.getPageCount();
    if (pages === 0) return unreadable("The PDF has no pages. Send a PDF with pages.");
    if (pages > maxPagesOfFile) {
      return unreadable(
        `The PDF has ${pages} pages, but at most ${maxPagesOfFile} are allowed. Send fewer pages.`,
      );
    }
    // Saves the document, because some faults in a file are found only when it is written.
    await document.save();
    return { kind: "readable", pages };
  } catch (error) {
    if (error instanceof ImageTooLarge) {
      return unreadable(
        "The image has more than 20 megapixels, or more than 10 with 16 bits per channel. Send a smaller image.",
      );
    }
    if (error instanceof TooManyDecodedBytes) {
      return unreadable("The PDF is too complex. Send a simpler file, such as a scan.");
    }
    const isEncrypted = error instanceof Error && /encrypted/i.test(error.message);
    return unreadable(
      isEncrypted
        ? "The PDF is encrypted. Send the PDF without a password."
        : "The file is damaged. Send a file that other programs can open.",
    );
  }
}

function unreadable(problem: string): FileInspection {
  return { kind: "unreadable", problem };
}

/** Appends the files to a PDF, each on new pages. */
export async function appendFiles(
  pdf: Uint8Array,
  files: readonly EvidenceFile[],
): Promise<Uint8Array> {
  // The metadata is not updated, because it would contain the current time. A repeated response must be identical.
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  for (const file of files) await append(document, file);
  return document.save();
}

async function append(
  document: PDFDocument,
  { mediaType, content }: Pick<EvidenceFile, "mediaType"> & { readonly content: Uint8Array },
): Promise<void> {
  if (mediaType === "application/pdf") {
    const source = await limitDecodedBytes(() =>
      PDFDocument.load(content, { updateMetadata: false }),
    );
    for (const page of await document.copyPages(source, source.getPageIndices())) {
      document.addPage(page);
    }
    return;
  }
  const image =
    mediaType === "image/png"
      ? await document.embedPng(await stillImageOf(content))
      : await document.embedJpg(content);
  const page = document.addPage([a4.width, a4.height]);
  const { width, height } = image.scaleToFit(a4.width - 2 * margin, a4.height - 2 * margin);
  page.drawImage(image, { x: margin, y: a4.height - margin - height, width, height });
  // Compresses the pixels now. Otherwise the pixels of all images would be in memory until the document is saved.
  await document.flush();
}

/** A4, in points. */
const a4 = { width: 595, height: 842 };
const margin = 40;
