import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { createPerson } from "../person.ts";
import { type ShopOptions, startShop } from "../shop.ts";
import { until } from "../until.ts";
import { createAuthority, newEcKey } from "../wallet-certificates.ts";
import { createWalletClient } from "../wallet-operator.ts";
import { listRootKey, startWalletServer } from "../wallet-server.ts";

/* Google's server for root keys does not respond until the test lets it. */
const merchants = createAuthority("Simulated Apple certificate authority");
const google = await startWalletServer(merchants);
after(() => google.close());
const responding = Promise.withResolvers<void>();
google.serveGoogleKeys(listRootKey(newEcKey()), responding.promise);

/** Starts a service with a merchant whose configuration of Google Pay is complete. */
async function startWithGooglePay(options: Pick<ShopOptions, "walletsHost">) {
  const shop = await startShop({
    liveAcquirer: () => connectedAcquirer,
    walletServers: { replacement: google.replacement },
    workers: false,
    ...options,
  });
  after(() => shop.close());
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const { account } = await shop.createMerchant({ status: "approved" });
  const { secret } = await shop.issueKey(account, true);
  const client = createWalletClient(operator, merchants);
  await client.save(account, "google_pay");
  await client.activateGoogleKey(account);

  const browser = await createCheckout(shop, {}, secret);
  return {
    /** Opens the page of the card form. */
    open: async () => (await shop.send("GET", `/embed/${browser.session}`)).status,
    /** Returns the types of the wallets in the session that the card form reads. */
    async offers(): Promise<string[]> {
      const { wallets } = (await browser.readSession()).body;
      return wallets.map(({ type }: { type: string }) => type);
    },
  };
}

async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

test("while Google does not respond, only the first page waits for its keys", async () => {
  const { open, offers } = await startWithGooglePay({ walletsHost: "localhost" });
  assert.equal(await open(), 200);
  assert.deepEqual(await offers(), []);
  // A page that waits for the keys takes at least 500 ms. One shorter duration shows, even on a slow machine, that the
  // later pages do not wait. All these requests are sent before the request to Google times out. After a timeout, no
  // page would wait for some seconds.
  const durations = [
    await durationOf(open),
    await durationOf(offers),
    await durationOf(open),
    await durationOf(offers),
  ];
  assert.ok(Math.min(...durations) < 500, `${durations}`);
  assert.equal(google.googlePaths.length, 1);
  responding.resolve();
  assert.deepEqual(await until(offers, ({ length }) => length > 0), ["google_pay"]);
});

test("without the second origin, no page requests Google's keys", async () => {
  const before = google.googlePaths.length;
  const { open, offers } = await startWithGooglePay({});
  assert.equal(await open(), 200);
  assert.deepEqual(await offers(), []);
  assert.equal(google.googlePaths.length, before);
});
