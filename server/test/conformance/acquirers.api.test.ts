import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { startAdyen } from "../adyen.ts";
import { startCheckoutCom } from "../checkout-com.ts";
import { freePort } from "../free-port.ts";
import { startShop } from "../shop.ts";
import { startStripe } from "../stripe.ts";
import { dose, sample, seed } from "../test-size.ts";
import { adyenUnderTest } from "./adyen-under-test.ts";
import { checkoutComUnderTest } from "./checkout-com-under-test.ts";
import { allFaults, faultCases, rulesOf, verbNeeds } from "./faults.ts";
import { type AcquirerCase, createCases, runCases } from "./run-cases.ts";
import { type Service, startService } from "./service-process.ts";
import { simulatorUnderTest } from "./simulator-under-test.ts";
import { stripeUnderTest } from "./stripe-under-test.ts";

/*
 * Every acquirer must pass the same cases: each operation with each fault, without and with a restart of the service.
 * Afterwards the acquirer's ledger and the service's ledger contain the same money.
 */
let service: Service | null = null as Service | null;
// Hooks run in the order of their registration. This one is first, because the service uses the database that a later
// hook drops.
after(() => service?.kill());
const adyen = await startAdyen();
after(() => adyen.close());
const stripe = await startStripe();
after(() => stripe.close());
const checkoutCom = await startCheckoutCom();
after(() => checkoutCom.close());
const acquirerOrigins = {
  adyen: adyen.url,
  stripe: stripe.url,
  checkout_com: checkoutCom.url,
};
/** Used only to set up the merchants. It has no workers, so that the service that the tests kill does all the work. */
const shop = await startShop({
  acquirers: "sandbox",
  acquirerOrigins,
  workers: false,
});
after(() => shop.close());
const port = await freePort();
const acquirers = [
  simulatorUnderTest(shop, () => service as Service),
  adyenUnderTest(shop, adyen, `http://127.0.0.1:${port}`),
  stripeUnderTest(shop, stripe, `http://127.0.0.1:${port}`),
  checkoutComUnderTest(shop, checkoutCom, `http://127.0.0.1:${port}`),
];
const all: readonly AcquirerCase[] = acquirers.flatMap((acquirer) =>
  faultCases
    .filter(({ fault, verb }) =>
      [rulesOf(fault).needs, verbNeeds[verb]].every(
        (needs) => needs === undefined || acquirer.capabilities.has(needs),
      ),
    )
    .map((one) => ({ ...one, acquirer })),
);
/**
 * For each acquirer and fault: the first case, the first card verification, and the first sale with a gateway token. If
 * the fault applies to payments, the first case is a sale without a restart.
 */
const groupOf = ({ verb }: AcquirerCase) =>
  verb === "card verification" || verb === "sale with a gateway token" ? verb : "other";
const firstCases = all.filter(
  (one, index) =>
    index ===
    all.findIndex(
      (other) =>
        other.acquirer === one.acquirer &&
        other.fault === one.fault &&
        groupOf(other) === groupOf(one),
    ),
);
const others = all.filter((one) => !firstCases.includes(one));
const chosen = new Set([
  ...firstCases,
  ...sample(others, dose("cases", { short: 28, long: others.length })),
]);
const cases = all.filter((one) => chosen.has(one));
const created = await createCases(acquirers, cases);
service = await startService({
  databaseUrl: shop.settings.DATABASE_URL,
  keysDirectory: shop.settings.FLORIN_KEYS,
  embedDirectory: (await builtEmbed()).outdir,
  acquirerOrigins,
  port,
});

const run = runCases(shop, service, acquirers, created);

for (const acquirer of acquirers) {
  describe(acquirer.name, () => {
    for (const fault of allFaults) {
      const { needs } = rulesOf(fault);
      const skip =
        needs !== undefined && !acquirer.capabilities.has(needs)
          ? `the acquirer lacks the capability '${needs}'`
          : false;
      test(`money is neither lost nor moved twice: ${fault}`, { skip }, async (t) => {
        const { results } = await run;
        const own = results.filter((one) => one.acquirer === acquirer && one.fault === fault);
        t.diagnostic(`${own.length} cases`);
        const failed = own
          .filter(({ problems }) => problems.length > 0)
          .map(({ verb, restart, problems }) =>
            [verb, ...(restart ? ["restart"] : []), ...problems].join(", "),
          );
        assert.deepEqual(failed, []);
      });
    }
  });
}

test(`both ledgers contain the same money after ${cases.length} of ${all.length} cases (seed ${seed})`, async () => {
  assert.deepEqual((await run).violations, []);
});
