import { type Appearance, propertyOf, type TokenName, tokens } from "./appearance.ts";

/** Puts the chosen looks on, through the object model: a policy without inline styles allows no other way. */
export function dress(root: HTMLElement, appearance: Appearance): void {
  root.dataset.theme = appearance.theme;
  for (const name of Object.keys(tokens) as TokenName[]) {
    const value = appearance.tokens[name];
    // The browser has the last word on a colour; what it cannot read must not take ours away.
    if (value !== undefined && (tokens[name].kind !== "color" || CSS.supports("color", value))) {
      root.style.setProperty(propertyOf(name), value);
    } else root.style.removeProperty(propertyOf(name));
  }
  const { accent, accentText } = appearance.tokens;
  if (accent && !accentText) {
    root.style.setProperty("--accent-text", isLight(root, accent) ? "#10130f" : "#ffffff");
  }
}

/** Whether dark letters are easier to read on it than white ones (WCAG 2.2, relative luminance). */
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
