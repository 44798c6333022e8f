/** Returns whether dark text has more contrast than white text on this color (WCAG 2.2, relative luminance). */
export function isLight(color: string): boolean {
  const canvas = document.createElement("canvas").getContext("2d");
  if (!canvas) return false;
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  const linear = (part: number) =>
    part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > 0.179;
}
