import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { BrowserContext } from "playwright-core";
import { dose, seed } from "../server/test/test-size.ts";
import { dashboardPages } from "./dashboard-pages.ts";
import { journey } from "./journey.ts";
import { lookThrough, violationsOf } from "./look-at-page.ts";

const maxDurationMs = 600_000;

const phone = { width: 360, height: 780 };
/** Most pages that do not fit a wider screen do not fit a phone either, so the short dose checks only the phone. */
const widths = [phone, { width: 768, height: 780 }, { width: 1024, height: 780 }].slice(
  0,
  dose("widths", { short: 1, long: 3 }),
);
const admin = { width: 1200, height: 900 };

/** Half of the time is spent on the contrast of a theme. The short dose looks at every other page in the dark one. */
const themes = dose("themes", { short: 1, long: 2 });
let pages = seed;

/** Returns the themes to check a page in. Only the contrast differs between them. */
function themesOfNextPage(): ("light" | "dark")[] {
  pages += 1;
  const both = pages % 2 === 0 ? (["light", "dark"] as const) : (["dark", "light"] as const);
  return both.slice(0, themes);
}

test("every route of the dashboard is in the list of tested pages", () => {
  const routes = readFileSync(join(import.meta.dirname, "../dashboard/src/routes.tsx"), "utf8");
  const listed = [...routes.matchAll(/\b\w*[pP]age\(\s*"([^"]+)",\s*\(\) => import/g)]
    .map(([, path = ""]) => path)
    // `/` only redirects to other pages.
    .filter((path) => path !== "/");
  const looked = new Set(dashboardPages.map(({ route }) => route));
  assert.ok(listed.length > 5);
  assert.deepEqual(
    listed.filter((path) => !looked.has(path)),
    [],
  );
});

journey(
  "every dashboard page fits a phone, a tablet and a desktop, without axe violations or console errors",
  async (browser) => {
    const messages: string[] = [];
    const found: string[] = [];
    await lookThrough(
      // Opened as on a phone, whose owner must be able to reach every state of a page.
      () => anotherBrowser(browser, messages, phone),
      async (page, { route, look = "" }) => {
        const add = (where: string, lines: readonly string[]) =>
          found.push(...lines.map((line) => `${route} ${look} ${where}: ${line}`));
        for (const viewport of widths) {
          await page.setViewportSize(viewport);
          add(`at ${viewport.width} px`, await page.evaluate(tooWide));
        }
        // One visit for all looks, because opening the page takes longer than looking at it.
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

/** Returns the elements that are wider than their container. Runs inside the page. */
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
 * Creates another person's browser, which shares no cookie with the first, and records the console errors of its pages.
 */
async function anotherBrowser(
  browser: BrowserContext,
  messages: string[],
  viewport: { width: number; height: number },
): Promise<BrowserContext> {
  const other = await browser.browser()?.newContext({
    viewport,
    // Disables transitions between themes. An element halfway through one has the contrast of neither.
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
 * Returns whether the console line is expected. The card form's headers name a feature that this browser does not know,
 * and `/auth/v1/me` returns 401 without a session.
 */
function isExpected(line: string): boolean {
  return /Permissions-Policy header: Unrecognized feature|status of 401/.test(line);
}
