import { mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";

/** The directory of the screenshots: FLORIN_SCREENSHOTS, or `.florin-screenshots` by default. */
const directory = resolve(process.env.FLORIN_SCREENSHOTS ?? ".florin-screenshots");

/** The viewports for the screenshots of each page. */
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

/** The height above which a page is captured in parts, because image viewers scale a taller image down. */
const maxHeight = 2_400;
const maxPartHeight = 1_500;
/** The height by which a part overlaps the part above it, so that every line is complete in at least one part. */
const partOverlap = 100;

/** Returns the top and height of each part of a page. All parts have the same height. */
export function partsOf(pageHeight: number): { y: number; height: number }[] {
  if (pageHeight <= maxHeight) return [{ y: 0, height: pageHeight }];
  const count = Math.ceil((pageHeight - partOverlap) / (maxPartHeight - partOverlap));
  const height = Math.ceil((pageHeight + (count - 1) * partOverlap) / count);
  return Array.from({ length: count }, (_, index) => {
    const y = index * (height - partOverlap);
    return { y, height: Math.min(height, pageHeight - y) };
  });
}

/**
 * Takes a screenshot of the page in each theme. `onTaken` is called after each screenshot, while its theme is still
 * set.
 */
export async function screenshotInThemes(
  page: Page,
  name: string,
  {
    fullPage,
    only = themes,
    onTaken,
  }: {
    /** False if the page has a sheet that is placed in the window. Defaults to false if a dialog is open. */
    readonly fullPage?: boolean;
    readonly only?: readonly Theme[];
    readonly onTaken?: (theme: Theme) => Promise<void>;
  } = {},
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const isWhole = fullPage ?? (await page.locator("dialog[open]").count()) === 0;
  for (const theme of only) {
    // Scroll to the top first. Otherwise a sticky element would appear in the middle of the full-page screenshot.
    if (isWhole) await page.evaluate(() => window.scrollTo(0, 0));
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForTimeout(200);
    await takeScreenshot(page, `${name}-${theme}`, isWhole);
    await onTaken?.(theme);
  }
}

/** Writes `NAME.png`, or `NAME-1-of-3.png` and so on for a tall page. Replaces the earlier screenshot of the page. */
async function takeScreenshot(page: Page, name: string, fullPage: boolean): Promise<void> {
  await deleteScreenshot(name);
  const { width, height } = await page.evaluate(() => ({
    width: window.innerWidth,
    height: Math.max(window.innerHeight, document.documentElement.scrollHeight),
  }));
  const parts = fullPage ? partsOf(height) : [];
  if (parts.length <= 1) {
    await page.screenshot({ path: join(directory, `${name}.png`), fullPage });
    return;
  }
  for (const [index, part] of parts.entries()) {
    await page.screenshot({
      path: join(directory, `${name}-${index + 1}-of-${parts.length}.png`),
      fullPage,
      clip: { x: 0, width, ...part },
    });
  }
}

async function deleteScreenshot(name: string): Promise<void> {
  const files = (await readdir(directory)).filter(
    (file) => file.startsWith(name) && /^(-\d+-of-\d+)?\.png$/.test(file.slice(name.length)),
  );
  await Promise.all(files.map((file) => rm(join(directory, file))));
}
