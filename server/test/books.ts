import assert from "node:assert/strict";
import { printReport } from "../src/verify/print-report.ts";
import { verify } from "../src/verify/verify.ts";
import type { Shop } from "./shop.ts";

/** Holds everything that the tests of a file have written against everything else, as `florin verify` does. */
export async function checkBooks(shop: Shop): Promise<void> {
  const report = await verify(shop.app.database);
  assert.equal(report.violations, 0, printReport(report));
}
