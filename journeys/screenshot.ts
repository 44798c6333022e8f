import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";

/** The directory of the screenshots: `.florin-screenshots`, or the one in FLORIN_SCREENSHOTS. */
const directory = resolve(process.env.FLORIN_SCREENSHOTS ?? ".florin-screenshots");

/** The windows in which each page is photographed. */
export const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;
export type SizeName = keyof typeof sizes;

export const sizeNames = Object.keys(sizes) as readonly SizeName[];
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

export function newWindow(
  browser: Browser,
  size: SizeName,
  colorScheme: Theme = "light",
): Promise<BrowserContext> {
  const isPhone = size === "phone";
  return browser.newContext({
    viewport: sizes[size],
    hasTouch: isPhone,
    isMobile: isPhone,
    reducedMotion: "reduce",
    locale: "en-US",
    colorScheme,
  });
}

/** Takes a screenshot of the page in each theme. `onTaken` is called after each one, while the theme is set. */
export async function screenshotInThemes(
  page: Page,
  name: string,
  {
    fullPage = true,
    only = themes,
    onTaken,
  }: {
    /** False for a page with a sheet or dialog that is placed in the window. */
    readonly fullPage?: boolean;
    readonly only?: readonly Theme[];
    readonly onTaken?: (theme: Theme) => Promise<void>;
  } = {},
): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const theme of only) {
    // Scroll to the top first. Otherwise a sticky element would appear in the middle of the full-page screenshot.
    if (fullPage) await page.evaluate(() => window.scrollTo(0, 0));
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(directory, `${name}-${theme}.png`), fullPage });
    await onTaken?.(theme);
  }
}
