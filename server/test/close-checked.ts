import assert from "node:assert/strict";
import { printReport } from "../src/insights/verify/print-report.ts";
import { verify } from "../src/insights/verify/verify.ts";
import type { Shop } from "./shop.ts";

/** Closes the shop and checks its database for consistency, as `florin verify` does. */
export async function closeChecked(shop: Shop): Promise<void> {
  try {
    const report = await verify(shop.app.database);
    assert.equal(report.violations, 0, printReport(report));
  } finally {
    await shop.close();
  }
}
