import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newId } from "../../src/core/ids.ts";
import { someScreen } from "../cardholder.ts";
import { notificationPath, resultsPath, startChallenge } from "../challenge.ts";
import { type Browser, createCheckout, typed } from "../checkout.ts";
import type { Reply } from "../client.ts";
import { startShop } from "../shop.ts";

/*
 * A client or callback secret grants access to one object only: a checkout session, a challenge or a callback. The
 * tests are generated from the route table of the running server. A route for such secrets without a test case fails here.
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

function words({ status, body }: Reply, id: string): string {
  const { request_id, ...error } = body.error;
  return JSON.stringify([status, error]).replaceAll(id, "…");
}

/**
 * Sends a request about the session with each wrong secret. The 404 must equal that of a session that does not exist.
 */
async function isClosedToOthers(send: (id: string, secret: string) => Promise<Reply>) {
  for (const [whose, secret] of wrongSecrets) {
    const reply = await send(session.session, secret);
    assert.equal(reply.status, 404, `${whose}: ${reply.text}`);
    const nothing = newId("cs", shop.clock.now());
    assert.equal(words(reply, session.session), words(await send(nothing, secret), nothing), whose);
  }
}

const path = (id: string) => `/embed/api/checkout_sessions/${id}`;
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** Sends a step of the challenge with foreign secrets, and with the right one under another merchant or mode. */
async function isClosedStep(method: "GET" | "POST", step: string, body?: object): Promise<void> {
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
  for (const elsewhere of elsewhereOf(cardholder.path)) {
    assert.equal((await send(elsewhere, cardholder.secret)).status, 404, elsewhere);
  }
  assert.equal((await challenged.readCharge()).status, "requires_action");
}

/** Returns the same path with another merchant, and in the other mode. */
function elsewhereOf(own: string): string[] {
  const { account } = shop.merchant;
  return [own.replace(account, shop.otherMerchant.account), own.replace("/test/", "/live/")];
}

const stepsBefore = async () => [
  (await challenged.readCharge()).status,
  (await challenged.cardholder.step()).body.step,
];

/** Posts to a callback of one charge with the secret of another charge, and of another callback of the same charge. */
async function isClosedCallback(
  door: "method" | "notification" | "results" | "return",
  method: "GET" | "POST" = "POST",
): Promise<void> {
  const { chargeId } = challenged;
  const [own, others] = await Promise.all([callbacksOf(challenged), callbacksOf(otherChallenged)]);
  const secretIn = (url: string) => url.split("/").at(-1) as string;
  const at = (secret: string) =>
    `/three-d-secure/${door}/${shop.merchant.account}/test/${chargeId}/${secret}`;
  const wrongCallback = door === "notification" ? own.results : own.notification;
  const tries = [
    at(secretIn(others.notification)),
    at(secretIn(others.results)),
    at(secretIn(wrongCallback)),
    ...elsewhereOf(at(secretIn(own.notification))),
  ];
  const isJson = door === "results";
  const headers = {
    "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded",
  };
  const body = isJson ? {} : "cres=e30&threeDSMethodData=e30";
  const before = await stepsBefore();
  for (const url of tries) {
    for (const send of isJson ? [shop.send, shop.sendInternal] : [shop.send]) {
      const request = method === "GET" ? {} : { headers, body };
      assert.equal((await send(method, url, request)).status, 404, url);
    }
  }
  assert.deepEqual(await stepsBefore(), before);
}

async function callbacksOf({ cardholder }: typeof challenged) {
  const { creq } = (await cardholder.challenge()).body.fields;
  const { acsTransID } = JSON.parse(Buffer.from(creq, "base64url").toString());
  return {
    notification: await notificationPath(shop, acsTransID),
    results: await resultsPath(shop, acsTransID),
  };
}

/** Posts a forged message to a page of the simulated issuer, which accepts its own transactions only. */
async function isClosedPage(url: string): Promise<void> {
  const before = await stepsBefore();
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
  assert.deepEqual(await stepsBefore(), before);
}

async function isConstant(url: string): Promise<void> {
  const [one, two] = [await shop.send("GET", url), await shop.send("GET", url)];
  assert.deepEqual([one.status, one.text], [200, two.text]);
  assert.doesNotMatch(one.text, /acct_|ch_|cs_|secret_/);
}

const challenge = "/challenge/:account/:mode/:id";
const rows: Readonly<Record<string, () => Promise<void>>> = {
  "GET /embed/api/checkout_sessions/:id": () =>
    isClosedToOthers((id, secret) => shop.send("GET", path(id), { headers: bearer(secret) })),
  "POST /embed/api/checkout_sessions/:id/confirm": async () => {
    const confirm = (id: string, secret: string) =>
      shop.send("POST", `${path(id)}/confirm`, {
        headers: { ...bearer(secret), "idempotency-key": `${id} ${secret}` },
        body: { payment_method_id: otherMethod },
      });
    await isClosedToOthers(confirm);
    // The right secret with a card from another session.
    const reply = await confirm(session.session, session.secret);
    assert.ok([400, 404].includes(reply.status), reply.text);
  },
  "POST /embed/api/checkout_sessions/:id/cancel_challenge": () =>
    isClosedToOthers((id, secret) =>
      shop.send("POST", `${path(id)}/cancel_challenge`, { headers: bearer(secret), body: {} }),
    ),
  "POST /vault/cards": () =>
    isClosedToOthers((id, secret) =>
      shop.send("POST", "/vault/cards", {
        headers: bearer(secret),
        body: { checkout_session_id: id, ...typed("4242424242424242") },
      }),
    ),
  [`GET ${challenge}`]: async () => {
    for (const elsewhere of elsewhereOf(challenged.cardholder.path)) {
      assert.equal((await shop.send("GET", elsewhere)).status, 404, elsewhere);
    }
    // The document is the same for all charges. Its contents are requested with the secret.
    const { text } = await challenged.cardholder.document();
    assert.doesNotMatch(text, new RegExp(`secret_|${challenged.chargeId}|1999|19\\.99`));
  },
  [`GET ${challenge}/step`]: () => isClosedStep("GET", "step"),
  [`POST ${challenge}/begin`]: () => isClosedStep("POST", "begin", {}),
  [`POST ${challenge}/authenticate`]: () => isClosedStep("POST", "authenticate", someScreen),
  [`POST ${challenge}/challenge`]: () => isClosedStep("POST", "challenge", { window_size: "02" }),
  [`POST ${challenge}/cancel`]: () => isClosedStep("POST", "cancel", {}),
  "GET /three-d-secure/return/:account/:mode/:id/:secret": () => isClosedCallback("return", "GET"),
  "POST /three-d-secure/return/:account/:mode/:id/:secret": () => isClosedCallback("return"),
  "POST /three-d-secure/results/:account/:mode/:id/:secret": () => isClosedCallback("results"),
  "POST /three-d-secure/method/:account/:mode/:id/:secret": () => isClosedCallback("method"),
  "POST /three-d-secure/notification/:account/:mode/:id/:secret": () =>
    isClosedCallback("notification"),
  "GET /three-d-secure/returned.js": () => isConstant("/three-d-secure/returned.js"),
  ...Object.fromEntries(
    ["method", "method/silent", "challenge", "challenge/input"].map((page) => {
      const url = `/simulator/three-d-secure/${page}`;
      return [`POST ${url}`, () => isClosedPage(url)];
    }),
  ),
  ...Object.fromEntries(
    ["bank.js", "bank.css"].map((file) => {
      const url = `/simulator/three-d-secure/${file}`;
      return [`GET ${url}`, () => isConstant(url)];
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
