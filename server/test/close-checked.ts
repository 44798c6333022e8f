import { printReport } from "../src/insights/verify/print-report.ts";
import { verify } from "../src/insights/verify/verify.ts";
import type { Shop } from "./shop.ts";

/**
 * Checks the shop's database for consistency, as `florin verify` does, and closes the shop. For a hook after the tests
 * of a file. If a step fails, the process exits with 1. The hook does not fail, because Node would then run no further
 * hook, and the open servers of other files would keep the process running.
 */
export async function closeChecked(shop: Shop): Promise<void> {
  const fail = (reason: unknown): void => {
    console.error(reason);
    process.exitCode = 1;
  };
  await verify(shop.app.database).then((report) => {
    if (report.violations > 0) fail(printReport(report));
  }, fail);
  await shop.close().catch(fail);
}
