import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { BrowserContext } from "playwright-core";
import { dose, seed } from "../server/test/test-size.ts";
import { type CheckedRules, violationsOf } from "../tools/axe.ts";
import { dashboardPages } from "./dashboard-pages.ts";
import { journey } from "./journey.ts";
import { visitDashboardPages } from "./visit-dashboard-pages.ts";

const maxDurationMs = 1_800_000;

const phone = { width: 360, height: 780 };
/**
 * The short dose checks only the width of a phone, because most pages that are too wide for a tablet are also too wide
 * for a phone.
 */
const widths = [phone, { width: 768, height: 780 }, { width: 1024, height: 780 }].slice(
  0,
  dose("widths", { short: 1, long: 3 }),
);
const desktop = { width: 1200, height: 900 };

/**
 * The short dose checks the contrast of only every fourth page, in one theme, because the pages share their colors and
 * the contrast rules take most of the time. The long dose checks the contrast of each page in both themes.
 */
const themes = dose("themes", { short: 1, long: 2 });
let pages = seed;

/** Returns the themes in which to check the next page, each with the rules to check. */
function themesOfNextPage(): [theme: "light" | "dark", rules: CheckedRules][] {
  pages += 1;
  const first = pages % 8 < 4 ? "light" : "dark";
  if (themes === 1) return [[first, pages % 4 === 0 ? "all" : "all_but_contrast"]];
  return [
    [first, "all"],
    [first === "light" ? "dark" : "light", "contrast"],
  ];
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
  "every dashboard page fits a phone, a tablet and a desktop, without axe violations, layout shifts or console errors",
  async (browser) => {
    const messages: string[] = [];
    const problems: string[] = [];
    await visitDashboardPages(
      // Open each page in a phone's viewport, because every state of a page must be reachable on a phone.
      () => newBrowserContext(browser, messages, phone),
      async (page, { route, state = "" }) => {
        const add = (where: string, lines: readonly string[]) =>
          problems.push(...lines.map((line) => `${route} ${state} ${where}: ${line}`));
        for (const viewport of widths) {
          await page.setViewportSize(viewport);
          add(`at ${viewport.width} px`, await page.evaluate(findOverflow));
        }
        // Run all checks in one visit, because opening a page takes longer than the checks.
        await page.setViewportSize(desktop);
        for (const [colorScheme, rules] of themesOfNextPage()) {
          await page.emulateMedia({ colorScheme });
          add(colorScheme, await violationsOf(page, rules));
        }
        await page.setViewportSize(phone);
        await page.evaluate(forgetShifts);
      },
      {
        async onLoaded(page, { route, state = "" }) {
          const shifts = await page.evaluate(shiftsOf, maxLayoutShift);
          problems.push(...shifts.map((shift) => `${route} ${state}: ${shift}`));
        },
      },
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(messages, []);
  },
  maxDurationMs,
);

/** The maximum layout shift of a page, as defined by https://web.dev/articles/cls, which calls 0.1 good. */
const maxLayoutShift = 0.02;

type Shift = { readonly value: number; readonly atMs: number; readonly elements: string };

/** The layout shifts of a page, and the time before which they are discarded. */
type RecordedShifts = { readonly layoutShifts: readonly Shift[]; shiftsSinceMs: number };

/** Records the layout shifts that no input caused. Runs inside the page before its scripts. */
function recordShifts(): void {
  const shifts: Shift[] = [];
  Object.assign(window, { layoutShifts: shifts, shiftsSinceMs: 0 });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, startTime, hadRecentInput, sources } = entry as PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
      };
      const elements = sources
        .map(({ node, previousRect: from, currentRect: to }) => {
          const moved = `from (${from.x}, ${from.y}) to (${to.x}, ${to.y})`;
          return `${node?.textContent?.slice(0, 40)} ${moved}`;
        })
        .join(" | ");
      if (!hadRecentInput) shifts.push({ value, atMs: startTime, elements });
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** Describes the layout shifts since the page was opened, if their sum exceeds the maximum. Runs inside the page. */
function shiftsOf(max: number): string[] {
  const { layoutShifts, shiftsSinceMs } = window as unknown as RecordedShifts;
  const shifts = layoutShifts.filter(({ atMs }) => atMs > shiftsSinceMs);
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  if (sum <= max) return [];
  return shifts.map(({ value, elements }) => `layout shift ${value.toFixed(3)}: ${elements}`);
}

/**
 * Discards the layout shifts that the changes of the viewport caused. Stores the time instead of clearing the list,
 * because a busy browser reports a shift several frames later. Runs inside the page.
 */
async function forgetShifts(): Promise<void> {
  for (let frame = 0; frame < 2; frame += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  (window as unknown as RecordedShifts).shiftsSinceMs = performance.now();
}

/**
 * Describes the overflow of the page: whether the page is too wide, and which tables are wider than their container or
 * touch its edge. Runs inside the page.
 */
function findOverflow(): string[] {
  const isWider = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;
  const tables = [...document.querySelectorAll("table")].filter(
    ({ parentElement }) => parentElement && isWider(parentElement),
  );
  const touching = [
    ...document.querySelectorAll<HTMLTableRowElement>("table:has(> caption) tr"),
  ].filter((row) => {
    const last = [...row.cells].findLast(({ offsetWidth }) => offsetWidth > 0);
    return last && Number.parseFloat(getComputedStyle(last).paddingRight) < 16;
  });
  return [
    ...(isWider(document.documentElement) ? ["the page"] : []),
    ...touching.slice(0, 1).map((row) => `a row touches the edge: ${row.textContent}`),
    ...tables.map(({ caption, parentElement }) => {
      const { scrollWidth, clientWidth } = parentElement as HTMLElement;
      return `${caption?.textContent}, ${scrollWidth} in ${clientWidth}`;
    }),
  ];
}

/**
 * Creates a browser context with separate cookies. Adds the errors in the consoles of its pages to `messages`.
 */
async function newBrowserContext(
  browser: BrowserContext,
  messages: string[],
  viewport: { width: number; height: number },
): Promise<BrowserContext> {
  const other = await browser.browser()?.newContext({
    viewport,
    // Disables the transition between themes, during which the contrast matches neither theme.
    reducedMotion: "reduce",
  });
  assert.ok(other);
  await other.addInitScript(recordShifts);
  other.on("weberror", (error) => messages.push(String(error.error())));
  other.on("console", (message) => {
    const line = `${message.page()?.url()}: ${message.text()}`;
    if (message.type() === "error" && !isExpected(line)) messages.push(line);
  });
  return other;
}

/**
 * Returns whether the console message is expected. One expected message reports a feature in the card form's headers
 * that this browser does not support. The other reports the status 401, which `/auth/v1/me` returns without a session.
 */
function isExpected(line: string): boolean {
  return /Permissions-Policy header: Unrecognized feature|status of 401/.test(line);
}
