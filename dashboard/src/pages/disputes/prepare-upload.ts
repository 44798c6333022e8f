import { redrawPhoto } from "../../components/redraw-photo.ts";

/**
 * The maximum length of a side of an uploaded image, in pixels. At this size, text in a photo of a page is readable.
 */
const maxSide = 2_000;

/** A PNG below this size is uploaded unchanged, because a screenshot loses sharpness as a JPEG. */
const smallPngBytes = 700 * 1024;

/** Redraws a photo, so that it is small enough for the acquirer. Returns other files unchanged. */
export async function prepareUpload(file: File): Promise<File> {
  const isPhoto =
    file.type === "image/jpeg" || (file.type === "image/png" && file.size > smallPngBytes);
  return isPhoto ? redrawPhoto(file, maxSide) : file;
}
