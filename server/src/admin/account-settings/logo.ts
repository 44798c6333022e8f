import {
  type LogoMediaType,
  logoLimits,
  logoMediaTypes,
} from "@florin/contract/account-profile.ts";
import { imageSize } from "image-size";
import { ApiError } from "../../core/api-error.ts";
import type { Logo } from "../../identity/accounts/logo.sql.ts";
import type { Upload } from "../../platform/http/read-upload.ts";

/**
 * Returns the logo in an uploaded file. The media type is determined from the file's first bytes, because the declared
 * type is not reliable.
 */
export function readLogoFile({ content, sha256 }: Pick<Upload, "content" | "sha256">): Logo {
  const mediaType = mediaTypeOf(content);
  if (!mediaType) {
    throw rejected("The body must be a PNG or JPEG file. Send a file of one of these types.");
  }
  if (exifMarkers.some((marker) => content.includes(marker))) {
    throw rejected(
      "The logo must not contain EXIF metadata, such as the place where a photo was taken. Save the image without metadata and send the new file.",
    );
  }
  const size = sizeOf(content);
  if (!size) {
    throw rejected(
      "The body must be a complete image. Save the image again and send the new file.",
    );
  }
  const { minPixels, maxPixels } = logoLimits;
  const sides = [size.width, size.height];
  if (sides.some((side) => side < minPixels || side > maxPixels)) {
    throw rejected(
      `The logo must be from ${minPixels} to ${maxPixels} pixels wide and high. Got ${size.width} × ${size.height}. Send a resized image.`,
    );
  }
  return { fileName: `${sha256.slice(0, 32)}.${extensions[mediaType]}`, mediaType, content };
}

const extensions = {
  "image/png": "png",
  "image/jpeg": "jpg",
} as const satisfies Record<LogoMediaType, string>;

/**
 * The beginning of EXIF metadata in a JPEG and in a PNG. Files with EXIF metadata are rejected, because logos are
 * public and the service does not remove metadata.
 */
const exifMarkers = [Buffer.from("Exif\0\0"), Buffer.from("eXIf")];

const signatures: Readonly<Record<LogoMediaType, Buffer>> = {
  "image/png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  "image/jpeg": Buffer.from([0xff, 0xd8, 0xff]),
};

function mediaTypeOf(content: Buffer): LogoMediaType | null {
  return (
    logoMediaTypes.find((type) => {
      const signature = signatures[type];
      return content.subarray(0, signature.length).equals(signature);
    }) ?? null
  );
}

function sizeOf(content: Buffer): { readonly width: number; readonly height: number } | null {
  try {
    return imageSize(content);
  } catch {
    return null;
  }
}

function rejected(message: string): ApiError {
  return new ApiError("parameter_invalid", message, { param: "body" });
}
