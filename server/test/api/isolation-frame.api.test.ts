import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newId } from "../../src/core/ids.ts";
import { someScreen } from "../cardholder.ts";
import { notificationPath, resultsPath, startChallenge } from "../challenge.ts";
import { type Browser, createCheckout, typed } from "../checkout.ts";
import type { Reply } from "../client.ts";
import { startShop } from "../shop.ts";
import { requestToken } from "../wallet.ts";

/*
 * A client or callback secret grants access to one object only: a checkout session, a challenge or a callback. The
 * tests are generated from the route table of the running server. The tests fail if a route that accepts such a secret
 * has no test case.
 */
const shop = await startShop({ workers: false });
after(() => shop.close());

const routes = shop.app.servedRoutes.filter(
  ({ method, access }) =>
    method !== "HEAD" && /^(client|callback)_secret$/.test(access?.authentication ?? ""),
);

const challengeCard = "4000002760003184";
const session = await createCheckout(shop);
const other = await createCheckout(shop);
const foreign = await createCheckout(shop, {}, shop.otherMerchant.key);
const challenged = await startChallenge(shop, challengeCard);
const otherChallenged = await startChallenge(shop, challengeCard);
for (const { cardholder } of [challenged, otherChallenged]) await cardholder.runUntilAres();
const otherMethod: string = (await other.type("4242424242424242")).body.payment_method_id;

const wrongSecrets = [
  ["another session of the merchant", other.secret],
  ["a session of another merchant", foreign.secret],
  ["a challenge", otherChallenged.cardholder.secret],
  ["nothing", "secret_made-up"],
] as const;

function errorWithoutIds({ status, body }: Reply, id: string): string {
  const { request_id, ...error } = body.error;
  return JSON.stringify([status, error]).replaceAll(id, "…");
}

/**
 * Sends a request about the session with each wrong secret. Asserts that the 404 equals that of an unknown session.
 */
async function assertClosedToOtherSecrets(send: (id: string, secret: string) => Promise<Reply>) {
  for (const [whose, secret] of wrongSecrets) {
    const reply = await send(session.session, secret);
    assert.equal(reply.status, 404, `${whose}: ${reply.text}`);
    const unknownId = newId("cs", shop.clock.now());
    assert.equal(
      errorWithoutIds(reply, session.session),
      errorWithoutIds(await send(unknownId, secret), unknownId),
      whose,
    );
  }
}

const path = (id: string) => `/embed/api/checkout_sessions/${id}`;
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** Asserts that a challenge step returns 404 for wrong secrets, and for the right secret in another account or mode. */
async function assertStepClosed(
  method: "GET" | "POST",
  step: string,
  body?: object,
): Promise<void> {
  const { cardholder } = challenged;
  const send = (at: string, secret: string) =>
    shop.send(method, `${at}/${step}`, { headers: bearer(secret), ...(body && { body }) });
  for (const secret of [
    otherChallenged.cardholder.secret,
    challenged.browser.secret,
    "secret_made-up",
  ]) {
    const reply = await send(cardholder.path, secret);
    assert.equal(reply.status, 404, reply.text);
  }
  for (const otherPath of pathsInOtherScopes(cardholder.path)) {
    assert.equal((await send(otherPath, cardholder.secret)).status, 404, otherPath);
  }
  assert.equal((await challenged.readCharge()).status, "requires_action");
}

/** Returns the path with another merchant's account, and the path in the other mode. */
function pathsInOtherScopes(own: string): string[] {
  const { account } = shop.merchant;
  return [own.replace(account, shop.otherMerchant.account), own.replace("/test/", "/live/")];
}

const readProgress = async () => [
  (await challenged.readCharge()).status,
  (await challenged.cardholder.step()).body.step,
];

/**
 * Asserts that a callback URL of a charge rejects the secrets of another charge and of the charge's other callbacks.
 */
async function assertCallbackClosed(
  callback: "method" | "notification" | "results" | "return",
  method: "GET" | "POST" = "POST",
): Promise<void> {
  const { chargeId } = challenged;
  const [own, others] = await Promise.all([
    callbackPathsOf(challenged),
    callbackPathsOf(otherChallenged),
  ]);
  const secretIn = (url: string) => url.split("/").at(-1) as string;
  const at = (secret: string) =>
    `/three-d-secure/${callback}/${shop.merchant.account}/test/${chargeId}/${secret}`;
  const wrongCallback = callback === "notification" ? own.results : own.notification;
  const urls = [
    at(secretIn(others.notification)),
    at(secretIn(others.results)),
    at(secretIn(wrongCallback)),
    ...pathsInOtherScopes(at(secretIn(own.notification))),
  ];
  const isJson = callback === "results";
  const headers = {
    "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded",
  };
  const body = isJson ? {} : "cres=e30&threeDSMethodData=e30";
  const before = await readProgress();
  for (const url of urls) {
    for (const send of isJson ? [shop.send, shop.sendInternal] : [shop.send]) {
      const request = method === "GET" ? {} : { headers, body };
      assert.equal((await send(method, url, request)).status, 404, url);
    }
  }
  assert.deepEqual(await readProgress(), before);
}

async function callbackPathsOf({ cardholder }: typeof challenged) {
  const { creq } = (await cardholder.challenge()).body.fields;
  const { acsTransID } = JSON.parse(Buffer.from(creq, "base64url").toString());
  return {
    notification: await notificationPath(shop, acsTransID),
    results: await resultsPath(shop, acsTransID),
  };
}

/** Asserts that a page of the simulated issuer rejects a message about a transaction that it did not create. */
async function assertForgedMessageRejected(url: string): Promise<void> {
  const before = await readProgress();
  const message = Buffer.from(
    JSON.stringify({
      messageType: "CReq",
      messageVersion: "2.2.0",
      threeDSServerTransID: "00000000-0000-4000-8000-000000000000",
      acsTransID: "00000000-0000-4000-8000-000000000000",
      challengeWindowSize: "02",
    }),
  ).toString("base64url");
  const reply = await shop.send("POST", url, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `creq=${message}&threeDSMethodData=${message}&transaction=${message}&action=submit&code=123456`,
  });
  assert.ok([400, 404].includes(reply.status), `${reply.status}: ${reply.text}`);
  assert.deepEqual(await readProgress(), before);
}

async function assertConstant(url: string): Promise<void> {
  const [one, two] = [await shop.send("GET", url), await shop.send("GET", url)];
  assert.deepEqual([one.status, one.text], [200, two.text]);
  assert.doesNotMatch(one.text, /acct_|ch_|cs_|secret_/);
}

const challenge = "/challenge/:account/:mode/:id";
const rows: Readonly<Record<string, () => Promise<void>>> = {
  "GET /embed/api/checkout_sessions/:id": () =>
    assertClosedToOtherSecrets((id, secret) =>
      shop.send("GET", path(id), { headers: bearer(secret) }),
    ),
  "POST /embed/api/checkout_sessions/:id/confirm": async () => {
    const confirm = (id: string, secret: string) =>
      shop.send("POST", `${path(id)}/confirm`, {
        headers: { ...bearer(secret), "idempotency-key": `${id} ${secret}` },
        body: { payment_method_id: otherMethod },
      });
    await assertClosedToOtherSecrets(confirm);
    // The session's own secret cannot pay with a card from another session.
    const reply = await confirm(session.session, session.secret);
    assert.ok([400, 404].includes(reply.status), reply.text);
  },
  "POST /embed/api/checkout_sessions/:id/cancel_challenge": () =>
    assertClosedToOtherSecrets((id, secret) =>
      shop.send("POST", `${path(id)}/cancel_challenge`, { headers: bearer(secret), body: {} }),
    ),
  "POST /embed/api/checkout_sessions/:id/apple_pay_session": () =>
    assertClosedToOtherSecrets((id, secret) =>
      shop.send("POST", `${path(id)}/apple_pay_session`, {
        headers: bearer(secret),
        body: {
          validation_url: "https://apple-pay-gateway.apple.com/paymentservices/startSession",
          domain: "shop.example",
        },
      }),
    ),
  "POST /vault/cards": () =>
    assertClosedToOtherSecrets((id, secret) =>
      shop.send("POST", "/vault/cards", {
        headers: bearer(secret),
        body: { checkout_session_id: id, ...typed("4242424242424242") },
      }),
    ),
  "POST /vault/wallet_tokens": async () => {
    const token = await requestToken(shop, session);
    await assertClosedToOtherSecrets((id, secret) =>
      shop.send("POST", "/vault/wallet_tokens", {
        headers: bearer(secret),
        body: { checkout_session_id: id, wallet: "test_wallet", token },
      }),
    );
  },
  [`GET ${challenge}`]: async () => {
    for (const otherPath of pathsInOtherScopes(challenged.cardholder.path)) {
      assert.equal((await shop.send("GET", otherPath)).status, 404, otherPath);
    }
    // The HTML document is the same for all charges. Its script requests the charge's data with the secret.
    const { text } = await challenged.cardholder.document();
    assert.doesNotMatch(text, new RegExp(`secret_|${challenged.chargeId}|1999|19\\.99`));
  },
  [`GET ${challenge}/step`]: () => assertStepClosed("GET", "step"),
  [`POST ${challenge}/begin`]: () => assertStepClosed("POST", "begin", {}),
  [`POST ${challenge}/authenticate`]: () => assertStepClosed("POST", "authenticate", someScreen),
  [`POST ${challenge}/challenge`]: () =>
    assertStepClosed("POST", "challenge", { window_size: "02" }),
  [`POST ${challenge}/cancel`]: () => assertStepClosed("POST", "cancel", {}),
  "GET /three-d-secure/return/:account/:mode/:id/:secret": () =>
    assertCallbackClosed("return", "GET"),
  "POST /three-d-secure/return/:account/:mode/:id/:secret": () => assertCallbackClosed("return"),
  "POST /three-d-secure/results/:account/:mode/:id/:secret": () => assertCallbackClosed("results"),
  "POST /three-d-secure/method/:account/:mode/:id/:secret": () => assertCallbackClosed("method"),
  "POST /three-d-secure/notification/:account/:mode/:id/:secret": () =>
    assertCallbackClosed("notification"),
  "GET /three-d-secure/returned.js": () => assertConstant("/three-d-secure/returned.js"),
  ...Object.fromEntries(
    ["method", "method/silent", "challenge", "challenge/input"].map((page) => {
      const url = `/simulator/three-d-secure/${page}`;
      return [`POST ${url}`, () => assertForgedMessageRejected(url)];
    }),
  ),
  ...Object.fromEntries(
    ["bank.js", "bank.css"].map((file) => {
      const url = `/simulator/three-d-secure/${file}`;
      return [`GET ${url}`, () => assertConstant(url)];
    }),
  ),
};

for (const { method, url } of routes) {
  const route = `${method} ${url}`;
  test(`${route} gives no access to another session, charge or merchant`, async () => {
    const row = rows[route];
    assert.ok(row, `Add a row for ${route} to this file.`);
    await row();
  });
}

test("every tested route exists, and no attempt has changed anything", async () => {
  const served = new Set(routes.map(({ method, url }) => `${method} ${url}`));
  assert.deepEqual(
    Object.keys(rows).filter((route) => !served.has(route)),
    [],
  );
  const statusOf = async ({ readSession }: Browser) => (await readSession()).body.status;
  for (const browser of [session, other, foreign]) assert.equal(await statusOf(browser), "open");
  assert.equal((await shop.get("/charges")).body.data.length, 2);
});
