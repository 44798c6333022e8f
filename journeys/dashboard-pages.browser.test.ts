import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { BrowserContext } from "playwright-core";
import { dose, seed } from "../server/test/test-size.ts";
import { dashboardPages } from "./dashboard-pages.ts";
import { journey } from "./journey.ts";
import { violationsOf, visitDashboardPages } from "./visit-dashboard-pages.ts";

const maxDurationMs = 600_000;

const phone = { width: 360, height: 780 };
/**
 * The short dose checks only the phone, because most pages that are too wide for a tablet are also too wide for a
 * phone.
 */
const widths = [phone, { width: 768, height: 780 }, { width: 1024, height: 780 }].slice(
  0,
  dose("widths", { short: 1, long: 3 }),
);
const admin = { width: 1200, height: 900 };

/**
 * Checking the contrast of a second theme takes half of the time, so the short dose checks each page in one theme,
 * alternately.
 */
const themes = dose("themes", { short: 1, long: 2 });
let pages = seed;

/** Returns the themes in which to check the next page. Only the contrast differs between themes. */
function themesOfNextPage(): ("light" | "dark")[] {
  pages += 1;
  const both = pages % 2 === 0 ? (["light", "dark"] as const) : (["dark", "light"] as const);
  return both.slice(0, themes);
}

test("every route of the dashboard is in the list of tested pages", () => {
  const routes = readFileSync(join(import.meta.dirname, "../dashboard/src/routes.tsx"), "utf8");
  const listed = [...routes.matchAll(/\b\w*[pP]age\(\s*"([^"]+)",\s*\(\) => import/g)]
    .map(([, path = ""]) => path)
    // `/` only redirects to another page.
    .filter((path) => path !== "/");
  const tested = new Set(dashboardPages.map(({ route }) => route));
  assert.ok(listed.length > 5);
  assert.deepEqual(
    listed.filter((path) => !tested.has(path)),
    [],
  );
});

journey(
  "every dashboard page fits a phone, a tablet and a desktop, without axe violations or console errors",
  async (browser) => {
    const messages: string[] = [];
    const found: string[] = [];
    await visitDashboardPages(
      // Opened in a phone's viewport, in which every state of a page must be reachable.
      () => anotherBrowser(browser, messages, phone),
      async (page, { route, look = "" }) => {
        const add = (where: string, lines: readonly string[]) =>
          found.push(...lines.map((line) => `${route} ${look} ${where}: ${line}`));
        for (const viewport of widths) {
          await page.setViewportSize(viewport);
          add(`at ${viewport.width} px`, await page.evaluate(tooWide));
        }
        // All checks use one visit, because opening the page takes longer than the checks.
        await page.setViewportSize(admin);
        for (const [index, colorScheme] of themesOfNextPage().entries()) {
          await page.emulateMedia({ colorScheme });
          add(colorScheme, await violationsOf(page, index === 0 ? "all" : "contrast"));
        }
        await page.setViewportSize(phone);
      },
    );
    assert.deepEqual(found, []);
    assert.deepEqual(messages, []);
  },
  maxDurationMs,
);

/** Returns the elements whose content is wider than the element. Runs inside the page. */
function tooWide(): string[] {
  const isWider = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;
  const tables = [...document.querySelectorAll("table")].filter(
    ({ parentElement }) => parentElement && isWider(parentElement),
  );
  return [
    ...(isWider(document.documentElement) ? ["the page"] : []),
    ...tables.map(({ caption, parentElement }) => {
      const { scrollWidth, clientWidth } = parentElement as HTMLElement;
      return `${caption?.textContent}, ${scrollWidth} in ${clientWidth}`;
    }),
  ];
}

/**
 * Creates a browser context for another person, which shares no cookies with the first, and records the console errors
 * of its pages.
 */
async function anotherBrowser(
  browser: BrowserContext,
  messages: string[],
  viewport: { width: number; height: number },
): Promise<BrowserContext> {
  const other = await browser.browser()?.newContext({
    viewport,
    // Disables transitions between themes, during which the contrast matches neither theme.
    reducedMotion: "reduce",
  });
  assert.ok(other);
  other.on("weberror", (error) => messages.push(String(error.error())));
  other.on("console", (message) => {
    const line = `${message.page()?.url()}: ${message.text()}`;
    if (message.type() === "error" && !isExpected(line)) messages.push(line);
  });
  return other;
}

/**
 * Returns whether the console message is expected: the card form's headers name a feature that this browser does not
 * support, and `/auth/v1/me` returns 401 without a session.
 */
function isExpected(line: string): boolean {
  return /Permissions-Policy header: Unrecognized feature|status of 401/.test(line);
}
