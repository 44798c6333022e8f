/** A color such as `#0b5d45`. */
const hexColor = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

/** The minimum contrast of text with its background (WCAG 2.2, 1.4.3). */
export const minTextContrast = 4.5;

/** The minimum contrast of a button with the surface around it (WCAG 2.2, 1.4.11). */
export const minButtonContrast = 3;

/** The two colors of text on a brand color. The better of the two always has a contrast of at least 4.5. */
export const textColors = { dark: "#000000", light: "#ffffff" } as const;

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastOf(one: string, other: string): number {
  const [darker, lighter] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b) as [
    number,
    number,
  ];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns the color of readable text on this background. */
export function textColorOn(background: string): string {
  const { dark, light } = textColors;
  return contrastOf(light, background) >= contrastOf(dark, background) ? light : dark;
}

/**
 * Returns the color, mixed with just enough black or white to reach the contrast `min` with the background. Mixes in
 * black on a light background, and white on a dark one.
 */
export function withContrast(color: string, background: string, min: number): string {
  const target = textColorOn(background) === textColors.light ? 255 : 0;
  const parts = partsOf(color);
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = toHex(parts.map((part) => part + (target - part) * share));
    if (contrastOf(mixed, background) >= min) return mixed;
  }
  return toHex([target, target, target]);
}

/** The relative luminance of an sRGB color (WCAG 2.2). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(color).map((part) =>
    part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function partsOf(color: string): number[] {
  const [, ...parts] = hexColor.exec(color) ?? [];
  return parts.map((part) => Number.parseInt(part, 16));
}

function toHex(parts: readonly number[]): string {
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}
