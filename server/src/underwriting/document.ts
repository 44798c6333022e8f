import {
  type ApplicationDocument,
  type DocumentKind,
  largestDocumentBytes,
} from "@florin/contract/application.ts";
import { ApiError } from "../primitives/api-error.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { type AccountId, createdAt, type DocumentId } from "../primitives/ids.ts";

/** A file that a merchant uploaded, without its bytes. */
export type StoredDocument = {
  readonly account: AccountId;
  readonly id: DocumentId;
  readonly kind: DocumentKind;
  readonly fileName: string;
  readonly mediaType: MediaType;
  readonly size: number;
};

export type MediaType = "application/pdf" | "image/png" | "image/jpeg";

export function documentObject(document: StoredDocument): ApplicationDocument {
  return {
    id: document.id,
    object: "application_document",
    created: unixSeconds(createdAt(document.id)),
    kind: document.kind,
    file_name: document.fileName,
    media_type: document.mediaType,
    size: document.size,
  };
}

const endings: Readonly<Record<MediaType, RegExp>> = {
  "application/pdf": /\.pdf$/i,
  "image/png": /\.png$/i,
  "image/jpeg": /\.jpe?g$/i,
};

/**
 * What the file is called on the disk of whoever opens it. A stranger chose its name, and its ending decides what opens
 * it there: so it ends as what it is, and holds nothing that hides an ending or names a folder.
 */
export function downloadName({ fileName, mediaType }: StoredDocument): string {
  const plain = fileName.replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, "_").replace(/^\.+/, "_");
  return endings[mediaType].test(plain) ? plain : `${plain}.${mediaType.split("/")[1]}`;
}

/** The bytes of an upload. What they are is read from them; a name's ending and a browser's word prove nothing. */
export function readUpload(content: string): { bytes: Buffer; mediaType: MediaType } {
  const bytes = Buffer.from(content, "base64");
  // Node skips what is no base64 without a word, so it is written back and compared.
  if (bytes.length === 0 || bytes.toString("base64") !== content) {
    throw wrongContent("The content must be base64, without line breaks.");
  }
  if (bytes.length > largestDocumentBytes) throw wrongContent("The file is larger than 5 MiB.");
  const mediaType = mediaTypeOf(bytes);
  if (!mediaType) throw wrongContent("The file is no PDF, PNG or JPEG.");
  return { bytes, mediaType };
}

const signatures: readonly (readonly [MediaType, Buffer])[] = [
  ["application/pdf", Buffer.from("%PDF-")],
  ["image/png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff])],
];

function mediaTypeOf(bytes: Buffer): MediaType | null {
  const found = signatures.find(([, begin]) => bytes.subarray(0, begin.length).equals(begin));
  return found?.[0] ?? null;
}

function wrongContent(message: string): ApiError {
  return new ApiError("parameter_invalid", message, { param: "content" });
}
