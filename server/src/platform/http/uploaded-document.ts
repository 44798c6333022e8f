import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import { ApiError } from "../../core/api-error.ts";

const endings: Readonly<Record<DocumentMediaType, RegExp>> = {
  "application/pdf": /\.pdf$/i,
  "image/png": /\.png$/i,
  "image/jpeg": /\.jpe?g$/i,
};

/**
 * Returns a safe file name for the download. The uploader chose the original name, and a file's extension decides
 * which program opens it. The result has the extension of the real type, no path, and no characters that hide an
 * extension.
 */
export function downloadName({
  fileName,
  mediaType,
}: {
  readonly fileName: string;
  readonly mediaType: DocumentMediaType;
}): string {
  const plain = fileName.replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, "_").replace(/^\.+/, "_");
  return endings[mediaType].test(plain) ? plain : `${plain}.${mediaType.split("/")[1]}`;
}

/**
 * Returns the media type of a file, determined from its first bytes. The file name and the declared type are not
 * reliable. Rejects a declared type that differs.
 */
export function readMediaType(content: Buffer, declared: string): DocumentMediaType {
  const found = signatures.find(([, begin]) => content.subarray(0, begin.length).equals(begin));
  if (!found) {
    throw new ApiError(
      "parameter_invalid",
      "The body must be a PDF, PNG or JPEG file. Send a file of one of these types.",
      {
        param: "body",
      },
    );
  }
  const [mediaType] = found;
  if (mediaType === declared) return mediaType;
  throw new ApiError(
    "parameter_invalid",
    `\`Content-Type\` must be the media type of the file. Send ${mediaType}.`,
    { param: "Content-Type" },
  );
}

const signatures: readonly (readonly [DocumentMediaType, Buffer])[] = [
  ["application/pdf", Buffer.from("%PDF-")],
  ["image/png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff])],
];
