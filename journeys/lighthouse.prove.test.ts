import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import lighthouse, { desktopConfig } from "lighthouse";
import { chromium } from "playwright-core";
import { chromiumPath } from "../tools/chromium.ts";
import { fillMerchant } from "./fill-merchant.ts";
import { createSession } from "./merchant-api.ts";
import { florin } from "./running-florin.ts";
import { signInAsDemo } from "./visit-dashboard-pages.ts";

/**
 * The maximum number of measurements of a page whose score is too low. Other work on the machine can only lower the
 * score, because Lighthouse simulates the network but measures the actual duration of scripts.
 */
const maxMeasurements = 5;

/** The minimum score. On two idle cores, the scores of the overview on a phone were 0.96 to 1.00. */
const minPerformance = 0.9;

/** The maximum layout shift of a page, as in `dashboard-pages.browser.test.ts`. */
const maxLayoutShift = 0.02;

test("Lighthouse: performance 90 or more on a desktop and on a phone, and no significant accessibility failure", {
  timeout: 480_000,
}, async (t) => {
  const { account, refunded } = await fillMerchant();
  const profile = await mkdtemp(join(tmpdir(), "florin-lighthouse-"));
  const port = await freePort();
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath(),
    args: ["--no-sandbox", "--disable-gpu", `--remote-debugging-port=${port}`],
  });
  t.after(async () => {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  });
  await signInAsDemo(await browser.newPage());

  const dashboard = `${florin.dashboardUrl}/${account}/test`;
  const pages = {
    overview: dashboard,
    payments: `${dashboard}/payments`,
    payment: `${dashboard}/payments/${refunded}`,
    checkout: (await createSession({ amount: 1_999 })).embed_url,
  };
  for (const [name, url] of Object.entries(pages)) {
    // Without a configuration, Lighthouse simulates a mid-range phone on a slow network.
    for (const config of [desktopConfig, undefined]) {
      const kind = config ? "desktop" : "phone";
      const scores = await bestOf(minPerformance, () => measure(url, port, config));
      t.diagnostic(`${name} (${kind}): ${JSON.stringify(scores)}`);
      assert.ok(scores.performance >= minPerformance, `${name} (${kind}): ${scores.performance}`);
      assert.equal(scores.accessibility, 1, name);
      assert.ok(scores["best-practices"] >= 0.95, name);
      assert.ok(scores.layoutShift <= maxLayoutShift, `${name} (${kind}): ${scores.layoutShift}`);
    }
  }
});

type Scores = Record<"performance" | "accessibility" | "best-practices" | "layoutShift", number>;

async function bestOf(min: number, run: () => Promise<Scores>): Promise<Scores> {
  let best = await run();
  for (let measured = 1; measured < maxMeasurements && best.performance < min; measured += 1) {
    const next = await run();
    if (next.performance > best.performance) best = next;
  }
  return best;
}

async function measure(
  url: string,
  port: number,
  config: typeof desktopConfig | undefined,
): Promise<Scores> {
  const categories = ["performance", "accessibility", "best-practices"] as const;
  const flags = {
    port,
    logLevel: "error" as const,
    disableStorageReset: true,
    onlyCategories: [...categories],
  };
  const report = (await lighthouse(url, flags, config))?.lhr;
  assert.ok(report);
  const scores = categories.map((name) => [name, report.categories[name]?.score ?? 0]);
  const layoutShift = report.audits["cumulative-layout-shift"]?.numericValue ?? 1;
  return { ...Object.fromEntries(scores), layoutShift };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
