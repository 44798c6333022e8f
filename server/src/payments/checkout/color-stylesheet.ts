import {
  minButtonContrast,
  minTextContrast,
  textColorOn,
  withContrast,
} from "@florin/contract/color-contrast.ts";

/** The colors of a merchant's profile, as `#rrggbb`. */
export type BrandColors = {
  readonly brandColor: string | null;
  readonly backgroundColor: string | null;
};

/**
 * Returns the file name of the stylesheet, which contains the colors. Returns null if there are none. The name
 * determines the content, so browsers can cache the stylesheet permanently.
 */
export function stylesheetName({ brandColor, backgroundColor }: BrandColors): string | null {
  if (!brandColor && !backgroundColor) return null;
  return `${nameOf(brandColor)}-${nameOf(backgroundColor)}.css`;
}

/** Returns the colors in the name of a stylesheet, or null if the name is invalid. */
export function colorsIn(name: string): BrandColors | null {
  const [, brand, background] = /^([0-9a-f]{6}|none)-([0-9a-f]{6}|none)\.css$/.exec(name) ?? [];
  if (brand === undefined || background === undefined) return null;
  return { brandColor: colorOf(brand), backgroundColor: colorOf(background) };
}

const nameOf = (color: string | null) => color?.slice(1) ?? "none";
const colorOf = (name: string) => (name === "none" ? null : `#${name}`);

/** The surfaces of the card form (`embed/src/frame/styles/themes.css`). */
const surfaces = { light: "#ffffff", dark: "#171b19", night: "#151a24" } as const;

/**
 * Returns the stylesheet that gives the card form the merchant's colors. The colors that a shop's page passes to the
 * card form override it. On each surface, the brand color is darkened or lightened until a button in this color is
 * visible. The dark color scheme ignores a light background, so that the page and the form on it have the same scheme.
 */
export function colorStylesheet({ brandColor, backgroundColor }: BrandColors): string {
  const rules: string[] = [];
  if (brandColor) {
    // The theme `plain` leaves the colors to the shop.
    const themed = ':root:not([data-theme="plain"])';
    rules.push(
      `${themed}{${accentOn(surfaces.light, brandColor)}}`,
      `@media (prefers-color-scheme:dark){${themed}{${accentOn(surfaces.dark, brandColor)}}}`,
      `:root[data-theme="night"]{${accentOn(surfaces.night, brandColor)}}`,
    );
  }
  if (backgroundColor) {
    const text = textColorOn(backgroundColor);
    const faint = (share: number) => `color-mix(in srgb,${text} ${share}%,transparent)`;
    const backgroundRules = `[data-surface="page"] body{background:${backgroundColor}}
[data-surface="page"] .summary{color:${text};--text:${text};--quiet-text:${text};--accent:${text};--accent-text:${backgroundColor};--accent-ink:${text};--line:${faint(30)};--bone:${faint(15)}}`;
    const isDark = text === "#ffffff";
    rules.push(
      isDark ? backgroundRules : `@media not (prefers-color-scheme:dark){${backgroundRules}}`,
    );
  }
  return `${rules.join("\n")}\n`;
}

function accentOn(surface: string, brandColor: string): string {
  const accent = withContrast(brandColor, surface, minButtonContrast);
  const ink = withContrast(brandColor, surface, minTextContrast);
  return `--accent:${accent};--accent-text:${textColorOn(accent)};--accent-ink:${ink}`;
}
