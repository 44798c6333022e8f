import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import type { DashboardPage } from "./dashboard-pages.ts";
import type { Filled } from "./filled-merchant.ts";
import { florin } from "./running-florin.ts";

const axeSource = await readFile(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

type Axe = { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };

/** Goes to a page of the dashboard, and waits until it shows what it has to show. */
export async function lookAt(
  page: Page,
  wanted: DashboardPage,
  filled: Filled,
  account: string,
): Promise<void> {
  const path = wanted.at(filled).replace(/^\.\/?/, `/${account}/test/`);
  await page.goto(`${florin.dashboardUrl}${path}`);
  await untilShown(page);
  await wanted.act?.(page);
  await untilShown(page);
}

/** Skeletons and spinners are gone, and nothing moves any more. */
export async function untilShown(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true], .animate-pulse"));
  await page.waitForTimeout(250);
}

/** What axe finds wrong with the page, one line for each element. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Not by a script tag, which the page's policy refuses: the debugger is not bound by it.
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: Axe }).axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}
