import assert from "node:assert/strict";
import { test } from "node:test";
import lighthouse from "lighthouse";
import { startBrowser } from "../../test/browser.ts";

const { service, debuggingPort } = await startBrowser({ debugging: true });

test("Lighthouse on the hosted page: accessibility 100, best practices 95 or more, no layout shift", async () => {
  const { embedUrl } = service.open({
    line_items: [{ name: "Moon vase", quantity: 1, amount: 8450 }],
    cancel_url: "https://shop.example/cart",
  });
  const result = await lighthouse(embedUrl, {
    port: debuggingPort,
    logLevel: "error",
    onlyCategories: ["accessibility", "best-practices"],
    onlyAudits: ["cumulative-layout-shift"],
  });
  const report = result?.lhr;
  assert.ok(report);
  const failed = Object.values(report.audits)
    .filter(({ score }) => score !== null && score < 1)
    .map(({ id }) => id);
  assert.equal(report.categories.accessibility?.score, 1, failed.join(", "));
  assert.ok((report.categories["best-practices"]?.score ?? 0) >= 0.95, failed.join(", "));
  assert.equal(report.audits["cumulative-layout-shift"]?.numericValue, 0);
});
