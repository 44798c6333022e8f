import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type AccountId, uuidOf } from "../../src/core/ids.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { settlementReport } from "../settlement-report.ts";
import { errorOf, type Merchant, startShop, until } from "../shop.ts";
import { slowed } from "../slowness.ts";
import { minute } from "../test-clock.ts";

/*
 * A key is revoked or replaced while requests with it are in flight. The requests are completed once, their responses
 * are stored for all keys of the account, and the key is rejected from then on. A request whose body arrives more than
 * a second after its headers is rejected if its key has been revoked in between. An operator's upload is rejected if
 * its session has ended.
 */
const shop = await startShop({
  workers: false,
  acquirer: { responseTimeoutMs: slowed(8_000), slowResponseMs: slowed(1_000) },
});
after(() => shop.close());

/** The simulator delays the response to a charge of this amount. */
const slow = { amount: 9_004_004, currency: "usd", payment_method_id: "pm_card_visa" };
const visa = { ...slow, amount: 1999 };

type IssuedKey = { readonly id: string; readonly secret: SecretKey };

async function createMerchant() {
  const merchant = await shop.createMerchant();
  const owner = await createPerson(shop, { account: merchant.account });
  const issued: IssuedKey = (await owner.api("POST", "/api_keys", { name: "Server" })).body;
  const change = async (action: "revoke" | "roll", body = {}) => {
    const changed = await owner.api("POST", `/api_keys/${issued.id}/${action}`, body);
    assert.ok(changed.status < 300, changed.text);
    return changed.body;
  };
  return { ...merchant, issued: issued.secret, change };
}

/** Sends charges, refunds and captures. Returns when all charges have been inserted. */
async function sendBatch({ account, key }: Merchant, as: SecretKey) {
  const paid = await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      const capture_method = index % 2 === 0 ? "automatic" : "manual";
      const made = await shop.post("/charges", { ...visa, capture_method }, { as: key });
      return { id: made.body.id as string, isHeld: capture_method === "manual" };
    }),
  );
  const requests = [
    ...Array.from({ length: 12 }, (_, index) => ["/charges", slow, `charge ${index}`] as const),
    ...paid.map(({ id, isHeld }) =>
      isHeld
        ? ([`/charges/${id}/capture`, { amount: 900 }, `capture ${id}`] as const)
        : (["/refunds", { charge_id: id, amount: 900 }, `refund ${id}`] as const),
    ),
  ];
  const send = (secret: SecretKey) =>
    Promise.all(requests.map(([path, body, key]) => shop.post(path, body, { as: secret, key })));
  const sent = send(as);
  await until(
    () => countCharges(account),
    (count) => count === 12 + paid.length,
  );
  return { send, sent };
}

async function countCharges(account: AccountId): Promise<number> {
  const [row] = await shop.app.database.read<{ count: number }>`
    select count(*)::int as count from charges where account_id = ${uuidOf(account)}`;
  return row?.count ?? 0;
}

/** Returns the number of charges, and their captured and refunded amounts. */
async function moneyOf(account: AccountId) {
  const [row] = await shop.app.database.read<{
    captured: number;
    refunded: number;
    charges: number;
  }>`
    select sum(amount_captured)::int as captured, sum(amount_refunded)::int as refunded, count(*)::int as charges
      from charges where account_id = ${uuidOf(account)}`;
  return row;
}

/** Compares the charges and the ledger with the simulator's ledger. */
async function assertNoViolations(): Promise<void> {
  const report = await verify(shop.app.database, { cards: true });
  assert.equal(report.violations, 0, printReport(report));
}

for (const [what, action, body, code] of [
  ["revoked", "revoke", {}, "api_key_revoked"],
  ["rolled without an overlap", "roll", { expires_in: 0 }, "api_key_expired"],
] as const) {
  test(`requests in flight when their key is ${what} are completed once, and another key gets the same responses`, async () => {
    const merchant = await createMerchant();
    const { account, key, issued, change } = merchant;
    const { send, sent } = await sendBatch(merchant, issued);
    const running = send(key);
    await change(action, body);
    const first = await sent;
    for (const { status, text } of first) assert.ok(status === 200 || status === 201, text);
    const texts = first.map(({ text }) => text);
    for (const replies of [await running, await send(key)]) {
      assert.deepEqual(
        replies.map(({ text }) => text),
        texts,
      );
    }
    for (const reply of await send(issued)) assert.equal(errorOf(reply)[2], code);
    assert.deepEqual(await moneyOf(account), {
      captured: 12 * slow.amount + 2 * 1999 + 2 * 900,
      refunded: 2 * 900,
      charges: 16,
    });
    await assertNoViolations();
  });
}

test("during the overlap of a rolled key, a request with either key gets the response to the first one, and afterwards only with the new key", async () => {
  const merchant = await createMerchant();
  const { account, issued, change } = merchant;
  const { send, sent } = await sendBatch(merchant, issued);
  const { secret } = await change("roll", { expires_in: 60 });
  const withBoth = await Promise.all([sent, send(issued), send(secret)]);
  const texts = withBoth[0].map(({ text }) => text);
  for (const replies of withBoth) {
    assert.deepEqual(
      replies.map(({ text }) => text),
      texts,
    );
  }
  shop.clock.advance(minute);
  for (const reply of await send(issued)) assert.equal(errorOf(reply)[2], "api_key_expired");
  assert.deepEqual(
    (await send(secret)).map(({ text }) => text),
    texts,
  );
  assert.equal((await moneyOf(account))?.charges, 16);
  await assertNoViolations();
});

/** Sends a request whose body is not complete until `duringBody` has returned. Returns the response as text. */
async function sendInTwoParts(
  path: string,
  headers: readonly string[],
  body: string,
  duringBody: () => Promise<unknown>,
): Promise<string> {
  const { hostname, port } = new URL(shop.url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString();
  });
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      ...headers,
      `Content-Length: ${body.length}`,
      "Connection: close",
      "",
      body.slice(0, 10),
    ].join("\r\n"),
  );
  // The server authenticates the request before its body has arrived.
  await sleep(slowed(300));
  await duringBody();
  const closed = once(socket, "close");
  socket.write(body.slice(10));
  await closed;
  return received;
}

test("401: a request whose body is complete more than a second after its key was revoked is not executed", async () => {
  const { account, issued, key, change } = await createMerchant();
  const headers = [`Authorization: Bearer ${issued}`, "Content-Type: application/json"];
  const received = await sendInTwoParts(
    "/api/v1/charges",
    headers,
    JSON.stringify(visa),
    async () => {
      await change("revoke");
      await sleep(1_100);
    },
  );
  assert.match(received, /^HTTP\/1\.1 401 /);
  assert.match(received, /api_key_revoked/);
  assert.equal((await shop.get("/charges", { as: key })).body.data.length, 0);
  assert.equal(await countCharges(account), 0);
});

test("401: an operator's upload is not executed if their session ends before the file is complete", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const { id } = (await createConnectionClient(shop, operator).create()).body;
  const path = `/operator/v1/connections/${id}/reports`;
  const upload = (by: TestPerson, duringBody: () => Promise<unknown>) =>
    sendInTwoParts(
      `${path}?file_name=report.csv`,
      [`Cookie: ${by.cookie()}`, "Sec-Fetch-Site: same-origin", "Content-Type: text/csv"],
      settlementReport,
      duringBody,
    );
  const rejected = await upload(operator, () => operator.send("POST", "/auth/v1/sign_out"));
  assert.match(rejected, /^HTTP\/1\.1 401 /);
  assert.match(rejected, /sign_in_required/);
  const other = await createPerson(shop, { operator: true, secondFactor: true });
  assert.deepEqual((await other.send("GET", path)).body.data, []);
  const accepted = await upload(other, async () => undefined);
  assert.match(accepted, /^HTTP\/1\.1 201 /);
});
