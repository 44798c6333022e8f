import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { listConnections } from "@florin/server/acquiring/connections/connection.sql.ts";
import { connectCheckoutCom, startCheckoutCom } from "@florin/server/test/checkout-com.ts";
import { startShop } from "@florin/server/test/shop.ts";
import { connectStripe, startStripe } from "@florin/server/test/stripe.ts";

/* The checks of Adyen's connector have their own tests in certify.api.test.ts. */
const stripe = await startStripe();
after(() => stripe.close());
const checkoutCom = await startCheckoutCom();
after(() => checkoutCom.close());
const shop = await startShop({
  acquirers: "sandbox",
  acquirerOrigins: { stripe: stripe.url, checkout_com: checkoutCom.url },
  inRealTime: true,
});
after(() => shop.close());
await connectStripe(shop, stripe);
await connectCheckoutCom(shop, checkoutCom);

type Report = {
  readonly certified_at: string | null;
  readonly checks: readonly { readonly name: string; readonly status: string }[];
};

/** Certifies a connection in another process, because the service must receive notifications in the meantime. */
async function certify(processor: string): Promise<Report> {
  const stored = await listConnections(shop.app.database.read);
  const found = stored.find(({ connection }) => connection.processor === processor);
  assert.ok(found);
  const env = {
    ...process.env,
    ...shop.settings,
    FLORIN_ACQUIRERS: "sandbox",
    FLORIN_ACQUIRER_URLS: `stripe=${stripe.url},checkout_com=${checkoutCom.url}`,
  };
  const flags = ["certify", found.connection.id, "--json", "--wait", "20"];
  const file = join(import.meta.dirname, "florin.ts");
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [file, ...flags], { env }, (_, stdout, stderr) =>
      stdout === "" ? reject(new Error(stderr)) : resolve(JSON.parse(stdout)),
    );
  });
}

// Stripe does not decrypt Apple Pay tokens.
for (const [processor, skipped] of [
  ["stripe", ["apple_pay"]],
  ["checkout_com", []],
] as const) {
  test(`every check of ${processor} passes against its fake`, async () => {
    const { checks, certified_at } = await certify(processor);
    assert.deepEqual(
      checks.filter(({ status }) => status !== "passed").map(({ name, status }) => [name, status]),
      skipped.map((name) => [name, "skipped"]),
    );
    assert.ok(checks.length >= 9);
    assert.notEqual(certified_at, null);
  });
}
