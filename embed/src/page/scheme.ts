/**
 * Returns the color scheme of the page. The frame is transparent, so it must match the page regardless of the system
 * setting, and many pages have only one scheme. Light text means a dark page. The frame's document uses its element's
 * scheme as the preferred one. If the two differed, the browser would paint an opaque background.
 */
export function schemeOf(element: Element): "light" | "dark" {
  return lightnessOf(getComputedStyle(element).color) > 0.5 ? "dark" : "light";
}

/** Returns the approximate lightness, 0 to 1, of a computed color: `rgb(…)`, `oklch(…)`, `color(display-p3 …)`. */
function lightnessOf(color: string): number {
  const numbers = color.match(/(?<=[ (])[-\d.e]+/g) ?? [];
  const [first = 0, second = 0, third = 0] = numbers.map(Number);
  if (/^ok/.test(color)) return first;
  if (/^l/.test(color)) return first / 100;
  return (first * 0.3 + second * 0.59 + third * 0.11) / (/^c/.test(color) ? 1 : 255);
}
