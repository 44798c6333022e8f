const quality = 0.85;

/**
 * Redraws a photo as an upright JPEG with sides of at most `maxSide` pixels. The JPEG does not contain the location
 * that a phone stores in a photo. Returns a damaged image unchanged, and the service then rejects it with a reason.
 */
export async function redrawPhoto(file: File, maxSide: number): Promise<File> {
  const image = await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => null);
  if (!image) return file;
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height));
  const canvas = new OffscreenCanvas(
    Math.round(image.width * scale),
    Math.round(image.height * scale),
  );
  const context = canvas.getContext("2d");
  if (!context) return file;
  // A JPEG has no transparency. Without a background, transparent parts would become black.
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality });
  return new File([blob], file.name.replace(/\.\w+$/, ".jpg"), { type: "image/jpeg" });
}
