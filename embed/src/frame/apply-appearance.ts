import { type Appearance, propertyOf, type TokenName, tokens } from "./appearance.ts";

/** Applies the appearance through the CSSOM, because the CSP allows no inline styles. */
export function applyAppearance(root: HTMLElement, appearance: Appearance): void {
  root.dataset.theme = appearance.theme;
  for (const name of Object.keys(tokens) as TokenName[]) {
    const value = appearance.tokens[name];
    // Keep our color if the browser does not support the merchant's.
    if (value !== undefined && (tokens[name].kind !== "color" || CSS.supports("color", value))) {
      root.style.setProperty(propertyOf(name), value);
    } else root.style.removeProperty(propertyOf(name));
  }
  const { accent, accentText } = appearance.tokens;
  if (accent && !accentText) {
    root.style.setProperty("--accent-text", isLight(root, accent) ? "#10130f" : "#ffffff");
  }
}

/** Returns whether dark text has more contrast than white on this color (WCAG 2.2, relative luminance). */
function isLight(root: HTMLElement, color: string): boolean {
  const canvas = root.ownerDocument.createElement("canvas").getContext("2d");
  if (!canvas) return false;
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  const linear = (part: number) =>
    part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > 0.179;
}
