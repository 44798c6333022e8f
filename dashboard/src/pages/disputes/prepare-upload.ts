/** The maximum length of a side of an uploaded image, in pixels. Text in a photo of a page stays readable. */
const maxSide = 2_000;
const quality = 0.85;

/** A PNG below this size is uploaded as it is, because a screenshot has sharp text. */
const smallPngBytes = 700 * 1024;

/**
 * Redraws a photo: upright, without the location that a phone stores in it, and small enough for the acquirer. Returns
 * other files unchanged.
 */
export async function prepareUpload(file: File): Promise<File> {
  const isPhoto =
    file.type === "image/jpeg" || (file.type === "image/png" && file.size > smallPngBytes);
  if (!isPhoto) return file;
  // A damaged image is uploaded as it is. The service then returns the reason for its rejection.
  const image = await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => null);
  if (!image) return file;
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height));
  const canvas = new OffscreenCanvas(
    Math.round(image.width * scale),
    Math.round(image.height * scale),
  );
  const context = canvas.getContext("2d");
  if (!context) return file;
  // A JPEG has no transparency, which would become black.
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality });
  return new File([blob], file.name.replace(/\.\w+$/, ".jpg"), { type: "image/jpeg" });
}
