import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { connectAdyen, pay, startAdyen } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { closeChecked } from "../close-checked.ts";
import { startShop } from "../shop.ts";
import { connectStripe, startStripe } from "../stripe.ts";
import { until } from "../until.ts";

/** The number of payments. */
const payments = 160;
/** The number of payments that are in progress at the same time. */
const concurrency = 8;

/** Starts a proxy of the acquirer that can be interrupted: it then cuts all sockets and refuses new ones. */
async function startProxy(target: string) {
  const sockets = new Set<Socket>();
  /** The sockets on which a request has been sent and no response has arrived. */
  const waiting = new Set<Socket>();
  const server = createServer((client) => {
    const acquirer = connect(Number(new URL(target).port), "127.0.0.1");
    client.on("data", () => waiting.add(client));
    acquirer.on("data", () => waiting.delete(client));
    for (const [one, other] of [
      [client, acquirer],
      [acquirer, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        waiting.delete(one);
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns the number of requests in progress. */
    inProgress: () => waiting.size,
    interrupt() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const adyen = await startAdyen();
after(() => adyen.close());
const stripe = await startStripe();
after(() => stripe.close());
const proxy = await startProxy(adyen.url);
after(() => proxy.interrupt());
const shop = await startShop({
  acquirers: "sandbox",
  acquirerOrigins: { adyen: proxy.url, stripe: stripe.url },
  inRealTime: true,
});
after(() => closeChecked(shop));
const merchantAccount = "FieldwareECOM";
const merchant = await connectAdyen(shop, adyen, { merchantAccount, priority: 1 });
await connectStripe(shop, stripe, { merchant, priority: 2 });
const { key } = merchant;

type Charge = { readonly id: string; readonly status: string; readonly amount: number };

async function chargesOf(sessions: readonly string[]): Promise<Charge[]> {
  const lists = await Promise.all(
    sessions.map((session) =>
      shop
        .get(`/charges?checkout_session_id=${session}`, { as: key })
        .then(({ body }) => body.data),
    ),
  );
  assert.ok(lists.every(({ length }) => length === 1));
  return lists.flat();
}

/** Makes the payments, several at a time, and interrupts the connection to Adyen when half of them have begun. */
async function payDuringOutage(): Promise<readonly string[]> {
  const sessions: string[] = [];
  let begun = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (begun < payments) {
        begun += 1;
        if (begun === payments / 2) {
          await until(
            async () => proxy.inProgress(),
            (requests) => requests >= 3,
          );
          proxy.interrupt();
        }
        const browser = await createCheckout(shop, { amount: 1_000 + begun }, key);
        sessions.push(browser.session);
        await pay(browser);
      }
    }),
  );
  return sessions;
}

test("if an acquirer fails under load, charges that it has not received are paid over the next one, and none is paid twice", async () => {
  // Holds the notifications, so that the outcomes of the requests in progress stay unknown.
  await adyen.control(`PUT accounts/${merchantAccount}`, { delivery: "held" });
  // Keeps requests in progress until the interruption.
  await adyen.fault("payments", "slow", { times: payments, delayMs: 200 });
  const sessions = await payDuringOutage();

  const charges = await chargesOf(sessions);
  const atAdyen = new Map(
    (await adyen.payments()).map((payment) => [payment.reference, payment.capturedValue]),
  );
  const atStripe = new Map(
    (await stripe.payments()).map((payment) => [payment.reference, payment.capturedAmount]),
  );
  const isPaid = ({ status }: Charge) => status === "succeeded";
  const waiting = charges.filter(({ status }) => status === "processing");
  const notSent = charges.filter(
    (charge) => !atAdyen.has(charge.id) && !waiting.some(({ id }) => id === charge.id),
  );
  assert.ok(notSent.length > payments / 3, `${notSent.length} charges were not sent to Adyen`);
  assert.ok(waiting.length > 0, "no request was in progress at the interruption");
  assert.ok(notSent.filter(isPaid).length >= 0.99 * notSent.length);
  // Adyen may have approved these charges, so they wait for Adyen's outcome and are not sent to Stripe.
  assert.deepEqual(
    waiting.filter(({ id }) => atStripe.has(id)),
    [],
  );
  for (const { id } of charges) {
    assert.ok(!(atAdyen.has(id) && (atStripe.get(id) ?? 0) > 0), `${id} was paid twice`);
  }

  // The notifications bypass the proxy, and report the outcomes of the requests that were in progress.
  await adyen.control(`POST accounts/${merchantAccount}/send_held`);
  const known = await until(
    () => chargesOf(sessions),
    (after) => after.every((charge) => isPaid(charge) || !atAdyen.has(charge.id)),
  );
  const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
  assert.equal(
    sumOf(known.filter(isPaid).map(({ amount }) => amount)),
    sumOf(atAdyen.values()) + sumOf(atStripe.values()),
  );
});
