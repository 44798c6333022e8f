import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { createPerson } from "../person.ts";
import { type ShopOptions, startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";
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
    clock: shop.clock,
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

/** A service without the second origin, whose pages do not offer Google Pay. */
const unoffered = await startWithGooglePay({});

test("while Google does not respond, only the first page waits for its keys", async () => {
  const { clock, open, offers } = await startWithGooglePay({ walletsHost: "localhost" });
  assert.equal(await open(), 200);
  assert.deepEqual(await offers(), []);
  // A page that waits for the keys takes 500 ms longer than the same page of a service without Google Pay. All these
  // requests are sent before the request to Google times out. For some seconds after a timeout, no page would wait.
  const delays: number[] = [];
  for (const [page, samePage] of [
    [open, unoffered.open],
    [offers, unoffered.offers],
    [open, unoffered.open],
    [offers, unoffered.offers],
  ] as const) {
    delays.push((await durationOf(page)) - (await durationOf(samePage)));
  }
  assert.ok(Math.min(...delays) < 250, `${delays}`);
  assert.equal(google.googlePaths.length, 1);
  responding.resolve();
  // If the request has timed out on a slow machine, the next one is sent 15 s later.
  clock.advance(minute);
  assert.deepEqual(await until(offers, ({ length }) => length > 0), ["google_pay"]);
});

test("without the second origin, no page requests Google's keys", async () => {
  const before = google.googlePaths.length;
  assert.equal(await unoffered.open(), 200);
  assert.deepEqual(await unoffered.offers(), []);
  assert.equal(google.googlePaths.length, before);
});
