/**
 * The frame has no ground of its own, so it must be light on a light page and dark on a dark one, whatever the customer's
 * system prefers: many pages know only one of the two. Light text means a dark page. The frame's document takes the scheme
 * of its element as the preferred one; where the two differed, the browser would put an opaque ground behind it.
 */
export function schemeOf(element: Element): "light" | "dark" {
  return lightnessOf(getComputedStyle(element).color) > 0.5 ? "dark" : "light";
}

/** From 0 to 1, roughly, of a colour as browsers write computed ones: `rgb(…)`, `oklch(…)`, `color(display-p3 …)`. */
function lightnessOf(color: string): number {
  const numbers = color.match(/(?<=[ (])[-\d.e]+/g) ?? [];
  const [first = 0, second = 0, third = 0] = numbers.map(Number);
  if (/^ok/.test(color)) return first;
  if (/^l/.test(color)) return first / 100;
  return (first * 0.3 + second * 0.59 + third * 0.11) / (/^c/.test(color) ? 1 : 255);
}
