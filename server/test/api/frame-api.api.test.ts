import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { newId } from "../../src/core/ids.ts";
import { type Browser, createBrowser, createCheckout, typed } from "../checkout.ts";
import type { Reply } from "../client.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { errorOf, startShop } from "../shop.ts";
import { hour } from "../test-clock.ts";

const shop = await startShop({ liveAcquirer: () => connectedAcquirer });
after(() => shop.close());

const read = async (id: string) => (await shop.get(`/checkout_sessions/${id}`)).body;
const chargesOf = async (session: string): Promise<Reply["body"][]> =>
  (await shop.get(`/charges?limit=100&checkout_session_id=${session}`)).body.data;

test("the client secret reads its session, with only the fields meant for the customer", async () => {
  const { readSession, session } = await createCheckout(shop, {
    description: "Order 7",
    metadata: { a: "b" },
  });
  const { status, body } = await readSession();
  assert.deepEqual(
    [status, body.id, body.amount, body.merchant_name, body.description, body.livemode],
    [200, session, 1999, "Fieldware", "Order 7", false],
  );
  assert.equal("metadata" in body, false);
});

test("no text of the order changes the direction of the text in the card form", async () => {
  const { readSession } = await createCheckout(shop, {
    description: "Order \u202e7\u2067",
    line_items: [{ name: "Tea \u202efor $1.00", quantity: 1, amount: 1999 }],
  });
  const { body } = await readSession();
  assert.deepEqual([body.description, body.line_items[0].name], ["Order 7", "Tea for $1.00"]);
});

test("a typed card becomes a payment method that shows only brand and last four digits", async () => {
  const { type } = await createCheckout(shop);
  const { status, body, text } = await type("5555555555554444");
  assert.equal(status, 201);
  assert.deepEqual(body.card, { brand: "mastercard", last4: "4444" });
  assert.doesNotMatch(text, /555555/);
  const method = (await shop.get(`/payment_methods/${body.payment_method_id}`)).body;
  assert.deepEqual([method.card.last4, method.card.exp_month], ["4444", 12]);
});

test("a valid card completes the session, and both events contain the client_reference_id", async () => {
  const browser = await createCheckout(shop, {
    client_reference_id: "order-7",
    metadata: { order: "7" },
  });
  const { body } = await browser.pay("4242424242424242");
  assert.deepEqual([body.status, body.payment_status], ["complete", "paid"]);
  const { charge_id } = await read(browser.session);
  const [paid] = await shop.events(charge_id);
  assert.equal(paid.type, "payment.succeeded");
  const { object } = paid.data;
  assert.deepEqual(
    [object.checkout_session_id, object.client_reference_id, object.metadata],
    [browser.session, "order-7", { order: "7" }],
  );
  const [completed, ...more] = await shop.events(browser.session);
  assert.deepEqual([completed.type, more], ["checkout_session.completed", []]);
  assert.deepEqual(completed.data.object, await read(browser.session));
});

for (const [how, expected, end] of [
  ["paid", "complete", (browser: Browser) => browser.pay("4242424242424242")],
  ["declined in the last attempt", "failed", (browser: Browser) => browser.pay("4000000000000002")],
  [
    "expired",
    "expired",
    ({ session }: Browser) => shop.post(`/checkout_sessions/${session}/expire`, {}),
  ],
] as const) {
  test(`a session that is ${how} shows only its outcome and return URL to the holder of its secret`, async () => {
    const { id: customer_id } = (await shop.post("/customers", { name: "Ada" })).body;
    await shop.post("/payment_methods/pm_card_visa/attach", { customer_id });
    const browser = await createCheckout(shop, {
      customer_id,
      customer_email: "ada@example.com",
      description: "A private matter",
      line_items: [{ name: "A private thing", quantity: 1, amount: 1999 }],
      success_url: "https://shop.example/thanks",
      cancel_url: "https://shop.example/cart",
      max_attempts: 1,
    });
    assert.equal((await browser.readSession()).body.saved_cards.length, 1);
    await end(browser);
    const { body, text } = await browser.readSession();
    assert.deepEqual(Object.keys(body).sort(), [
      "allowed_origins",
      "id",
      "last_payment_error",
      "logo_path",
      "merchant_name",
      "mode",
      "payment_status",
      "return_url",
      "server_time",
      "status",
      "support_email",
      "support_phone",
    ]);
    const back = expected === "complete" ? "thanks" : "cart";
    assert.deepEqual([body.status, body.return_url], [expected, `https://shop.example/${back}`]);
    assert.doesNotMatch(text, /private|ada@|1999|4242|pm_|ch_/);
  });
}

test("the card form's Idempotency-Key is not shown as the merchant's", async () => {
  const browser = await createCheckout(shop);
  await browser.pay("4242424242424242");
  const [event] = await shop.events((await read(browser.session)).charge_id);
  assert.equal(event.request.idempotency_key, null);
});

test("with capture_method manual a valid card is authorized, and the session is complete", async () => {
  const browser = await createCheckout(shop, { capture_method: "manual" });
  const { body } = await browser.pay("4242424242424242");
  assert.deepEqual([body.status, body.payment_status], ["complete", "authorized"]);
});

test("after a decline the customer can pay with another card in the same session", async () => {
  const browser = await createCheckout(shop);
  const { status, body } = await browser.pay("4000000000009995");
  assert.deepEqual([status, body.status, body.attempts], [200, "open", 1]);
  assert.equal(body.last_payment_error.decline_code, "insufficient_funds");
  const second = await browser.pay("4242424242424242");
  assert.deepEqual([second.body.status, second.body.last_payment_error], ["complete", null]);
  const statuses = (await chargesOf(browser.session)).map((charge) => charge.status);
  assert.deepEqual(statuses, ["succeeded", "failed"]);
});

test("a session without attempts left fails and accepts no other card", async () => {
  const browser = await createCheckout(shop, { max_attempts: 2 });
  assert.equal((await browser.pay("4000000000000002")).body.status, "open");
  assert.equal((await browser.pay("4000000000000002")).body.status, "failed");
  const late = await browser.confirm("pm_card_visa");
  assert.deepEqual([late.status, late.body.status], [200, "failed"]);
  assert.equal((await chargesOf(browser.session)).length, 2);
  assert.equal((await browser.type("4242424242424242")).status, 400);
});

for (const [number, code] of [
  ["4000000000009987", "lost_card"],
  ["4000000000009979", "stolen_card"],
  ["4100000000000019", "fraudulent"],
] as const) {
  test(`the browser never receives ${code}, which would reveal that the card is reported`, async () => {
    const browser = await createCheckout(shop);
    const paid = await browser.pay(number);
    const seen = await browser.readSession();
    for (const reply of [paid, seen]) {
      assert.equal(reply.body.last_payment_error.decline_code, "generic_decline");
      assert.doesNotMatch(reply.text, /lost|stolen|fraud|block/i);
    }
    assert.equal((await read(browser.session)).last_payment_error.decline_code, code);
  });
}

test("fifty concurrent confirmations create one charge, and each gets its result", async () => {
  const browser = await createCheckout(shop);
  const { payment_method_id } = (await browser.type("4242424242424242")).body;
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => browser.confirm(payment_method_id, `click ${index}`)),
  );
  for (const { status, body } of replies) {
    assert.equal(status, 200);
    assert.match(body.status, /^(processing|complete)$/);
  }
  assert.equal((await chargesOf(browser.session)).length, 1);
  const after = await read(browser.session);
  assert.deepEqual([after.status, after.attempts], ["complete", 1]);
});

test("two tabs with two cards pay once and show the same result", async () => {
  const one = await createCheckout(shop);
  const other = createBrowser(shop, one.session, one.secret);
  // Stores both cards before either payment, because a paid session accepts no more cards.
  const [visa, mastercard] = await Promise.all([
    one.type("4242424242424242"),
    other.type("5555555555554444"),
  ]);
  const [a, b] = await Promise.all([
    one.confirm(visa.body.payment_method_id),
    other.confirm(mastercard.body.payment_method_id),
  ]);
  assert.equal((await chargesOf(one.session)).length, 1);
  for (const { status } of [a, b]) assert.equal(status, 200);
  assert.deepEqual((await one.readSession()).body.status, "complete");
});

test("a repeated attempt returns its first result, even after a decline", async () => {
  const browser = await createCheckout(shop);
  const { payment_method_id } = (await browser.type("4000000000000002")).body;
  await browser.confirm(payment_method_id, "one");
  const again = await browser.confirm(payment_method_id, "one");
  assert.deepEqual([again.body.status, again.body.attempts], ["open", 1]);
  assert.equal((await chargesOf(browser.session)).length, 1);
});

test("422: rejects another card with the key of an earlier attempt and does not charge it", async () => {
  const browser = await createCheckout(shop);
  await browser.pay("4000000000000002", "same");
  const { payment_method_id } = (await browser.type("4242424242424242")).body;
  const other = await browser.confirm(payment_method_id, "same");
  assert.deepEqual(errorOf(other).slice(0, 3), [
    422,
    "idempotency_error",
    "idempotency_key_in_use",
  ]);
  assert.equal((await chargesOf(browser.session)).length, 1);
  assert.equal((await browser.confirm(payment_method_id, "next")).body.status, "complete");
});

test("a session whose authorization is canceled is unpaid", async () => {
  const browser = await createCheckout(shop, { capture_method: "manual" });
  await browser.pay("4242424242424242");
  const { charge_id } = await read(browser.session);
  assert.equal((await shop.post(`/charges/${charge_id}/cancel`, {})).status, 200);
  const { status, payment_status } = await read(browser.session);
  assert.deepEqual([status, payment_status], ["complete", "unpaid"]);
});

test("the issuer checks the address that the merchant sent if the customer types none", async () => {
  const billing_details = { address: { line1: "1 Main Street", postal_code: "12345" } };
  const checksOf = async (number: string, rest = {}) => {
    const browser = await createCheckout(shop, { billing_details });
    const { payment_method_id } = (await browser.type(number, rest)).body;
    await browser.confirm(payment_method_id);
    const [charge] = await chargesOf(browser.session);
    const checks = charge?.payment_method_details.card.checks;
    return [checks?.address_line1_check, checks?.address_postal_code_check];
  };
  assert.deepEqual(await checksOf("4000000000000028"), ["fail", "pass"]);
  assert.deepEqual(await checksOf("4000000000000036"), ["pass", "fail"]);
  assert.deepEqual(await checksOf("4000000000000010", { postal_code: "54321" }), ["fail", "fail"]);
});

test("a customer cannot use the merchant's idempotency keys", async () => {
  const key = "shared name";
  await shop.post(
    "/charges",
    { amount: 100, currency: "usd", payment_method_id: "pm_card_visa" },
    { key },
  );
  const browser = await createCheckout(shop);
  const { body } = await browser.confirm("pm_card_visa", key);
  assert.equal(body.status, "complete");
});

test("a session expires for the customer exactly at expires_at, and then accepts neither card nor payment", async () => {
  const browser = await createCheckout(shop, { expires_in: 1800 });
  const { payment_method_id } = (await browser.type("4242424242424242")).body;
  shop.clock.advance(hour);
  assert.equal((await browser.readSession()).body.status, "expired");
  const late = await browser.confirm(payment_method_id);
  assert.deepEqual([late.status, late.body.status], [200, "expired"]);
  assert.deepEqual(errorOf(await browser.type("4242424242424242")), [
    400,
    "invalid_request_error",
    "session_expired",
    "id",
  ]);
  assert.deepEqual(await chargesOf(browser.session), []);
});

for (const [what, card, code, param] of [
  ["a number with a mistyped digit", typed("4242424242424241"), "incorrect_number", "number"],
  ["a real card in test mode", typed("4012888888881881"), "card_declined", "number"],
  [
    "a card that expired last year",
    { ...typed("4242424242424242"), exp_year: 2020 },
    "expired_card",
    "exp_month",
  ],
  [
    "a year too far in the future",
    { ...typed("4242424242424242"), exp_year: 2099 },
    "invalid_expiry_year",
    "exp_year",
  ],
  [
    "a three-digit code for Amex",
    { ...typed("378282246310005"), cvc: "123" },
    "invalid_cvc",
    "cvc",
  ],
  [
    "a four-digit code for Visa",
    { ...typed("4242424242424242"), cvc: "1234" },
    "invalid_cvc",
    "cvc",
  ],
] as const) {
  test(`402: rejects ${what} with ${code} before any request to the issuer`, async () => {
    const browser = await createCheckout(shop);
    const reply = await browser.type(card.number, card);
    assert.deepEqual(errorOf(reply), [402, "card_error", code, param]);
    assert.ok(reply.body.error.decline_code);
    assert.doesNotMatch(reply.text, new RegExp(card.number));
    const { status, attempts } = await read(browser.session);
    assert.deepEqual([status, attempts], ["open", 0]);
  });
}

test("400: no POST of the card form or the challenge page accepts query parameters", async () => {
  const { session, secret } = await createCheckout(shop);
  const id = newId("ch", shop.clock.now());
  const challenge = `/challenge/${shop.merchant.account}/test/${id}`;
  const frame = `/embed/api/checkout_sessions/${session}`;
  const steps = ["begin", "authenticate", "challenge", "cancel"].map(
    (step) => `${challenge}/${step}`,
  );
  for (const path of ["/vault/cards", `${frame}/confirm`, `${frame}/cancel_challenge`, ...steps]) {
    const headers = { authorization: `Bearer ${secret}`, "idempotency-key": "one" };
    const reply = await shop.send("POST", `${path}?number=4242424242424242`, { body: {}, headers });
    assert.deepEqual(errorOf(reply).slice(2), ["parameter_unknown", "number"], path);
    assert.doesNotMatch(reply.text, /4242/);
  }
});

test("400: malformed card data is rejected without being repeated in the error", async () => {
  const browser = await createCheckout(shop);
  for (const [rest, code, param] of [
    [{ number: "4242 4242" }, "parameter_invalid", "number"],
    [{ number: 4242424242424242 }, "parameter_invalid", "number"],
    [{ cvc: "12" }, "parameter_invalid", "cvc"],
    [{ exp_month: 13 }, "parameter_invalid", "exp_month"],
    [{ pin: "0000" }, "parameter_unknown", "pin"],
  ] as const) {
    const reply = await browser.type("4242424242424242", rest);
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", code, param]);
    assert.doesNotMatch(reply.text, /4242424242424242|4242 4242/);
  }
});

test("400: rejects a confirmation without an Idempotency-Key, which could charge twice", async () => {
  const { session, secret } = await createCheckout(shop);
  const reply = await shop.send("POST", `/embed/api/checkout_sessions/${session}/confirm`, {
    headers: { authorization: `Bearer ${secret}` },
    body: { payment_method_id: "pm_card_visa" },
  });
  assert.deepEqual(errorOf(reply), [
    400,
    "invalid_request_error",
    "parameter_missing",
    "Idempotency-Key",
  ]);
});

test("400: another merchant's card is rejected with the same error as an unknown one", async () => {
  const { key } = shop.otherMerchant;
  const otherSession = await shop.post(
    "/checkout_sessions",
    { amount: 100, currency: "usd" },
    { as: key },
  );
  const secret = new URL(otherSession.body.embed_url).hash.slice(1);
  const card = await createBrowser(shop, otherSession.body.session.id, secret).type(
    "4242424242424242",
  );
  const browser = await createCheckout(shop);
  const foreign = await browser.confirm(card.body.payment_method_id);
  const missing = await browser.confirm("pm_01jb0000000000000000000000");
  assert.deepEqual(errorOf(foreign), [
    400,
    "invalid_request_error",
    "resource_missing",
    "payment_method_id",
  ]);
  assert.deepEqual(errorOf(missing), errorOf(foreign));
});

test("404: a wrong secret returns the same error as an unknown session", async () => {
  const ownCheckout = await createCheckout(shop);
  const other = await createCheckout(shop);
  const wordsOf = (reply: Reply, id: string) => {
    const { request_id, ...error } = reply.body.error;
    return [reply.status, JSON.stringify(error).replaceAll(id, "…")];
  };
  const nothing = "cs_01jb0000000000000000000000";
  const missing = await createBrowser(shop, nothing, ownCheckout.secret).readSession();
  for (const secret of [
    "",
    "secret_x",
    other.secret,
    ownCheckout.secret.slice(0, -1),
    shop.merchant.key,
  ]) {
    const stranger = createBrowser(shop, ownCheckout.session, secret);
    for (const reply of [
      await stranger.readSession(),
      await stranger.confirm("pm_card_visa"),
      await stranger.type("4242424242424242"),
    ]) {
      assert.deepEqual(wordsOf(reply, ownCheckout.session), wordsOf(missing, nothing));
    }
  }
  assert.equal((await read(ownCheckout.session)).status, "open");
});

const ancestorsOf = (reply: Reply) =>
  /frame-ancestors ([^;]+)/.exec(reply.headers.get("content-security-policy") ?? "")?.[1];

for (const [what, account, session, expected] of [
  [
    "each origin of the session",
    ["https://account.example"],
    ["https://shop.example"],
    "'self' https://shop.example",
  ],
  [
    "each origin of the account, if the session has none, and this machine in test mode",
    ["https://account.example"],
    null,
    "'self' https://account.example http://localhost:* http://127.0.0.1:*",
  ],
  [
    "only this machine, if no origin is registered,",
    [],
    null,
    "'self' http://localhost:* http://127.0.0.1:*",
  ],
] as const) {
  test(`${what} may frame the card form`, async () => {
    const { key } = await shop.createMerchant({ allowedOrigins: account });
    const params = { amount: 100, currency: "usd", ...(session && { allowed_origins: session }) };
    const { body } = await shop.post("/checkout_sessions", params, { as: key });
    const page = await shop.send("GET", new URL(body.embed_url).pathname);
    assert.equal(ancestorsOf(page), expected);
  });
}

test("in live mode a card form without registered origins cannot be framed", async () => {
  const { account } = await shop.createMerchant({ status: "approved" });
  const { secret } = await shop.issueKey(account, true);
  const { body } = await shop.post(
    "/checkout_sessions",
    { amount: 100, currency: "usd" },
    { as: secret },
  );
  const page = await shop.send("GET", new URL(body.embed_url).pathname);
  assert.equal(ancestorsOf(page), "'none'");
  const browser = createBrowser(shop, body.session.id, new URL(body.embed_url).hash.slice(1));
  const testCard = await browser.type("4242424242424242");
  assert.deepEqual([testCard.status, testCard.body.error.decline_code], [402, "testmode_decline"]);
});

test("the card form loads only its own resources, is not cached, and sends no referrer", async () => {
  const { session } = await createCheckout(shop);
  const { headers, text } = await shop.send("GET", `/embed/${session}`);
  const policy = headers.get("content-security-policy") ?? "";
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "report-uri /embed/csp-reports",
  ]) {
    assert.ok(policy.includes(rule), rule);
  }
  assert.deepEqual(
    ["cache-control", "referrer-policy", "x-content-type-options"].map((name) => headers.get(name)),
    ["no-store", "no-referrer", "nosniff"],
  );
  assert.doesNotMatch(text, /<script>|onclick=|style="/);
  assert.match(headers.get("permissions-policy") ?? "", /camera=\(\).*payment=\(\)/);
  assert.equal(headers.get("set-cookie"), null);
});

test("data typed by a customer is in no log line and in no table outside the vault", async () => {
  const browser = await createCheckout(shop);
  await browser.pay("4000056655665556");
  assert.doesNotMatch(JSON.stringify(shop.log), /4000056655665556/);
  const tables = await shop.app.database.read<{ name: string }>`
    select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ('public', 'simulator') and table_type = 'BASE TABLE'`;
  assert.ok(tables.length > 10);
  const client = await shop.app.database.connect();
  for (const { name } of tables) {
    const { rows } = await client.query(
      `select 1 from ${name} t where t::text like '%4000056655665556%'`,
    );
    assert.equal(rows.length, 0, name);
  }
  await client.end();
});

test("a session cannot be paid with the id of a card that was typed in another session", async () => {
  const ownCheckout = await createCheckout(shop);
  const otherCheckout = await createCheckout(shop);
  const typedByOther = (await otherCheckout.type("4242424242424242")).body.payment_method_id;
  const reply = await ownCheckout.confirm(typedByOther);
  assert.deepEqual(errorOf(reply), [
    400,
    "invalid_request_error",
    "resource_missing",
    "payment_method_id",
  ]);
  assert.deepEqual(await chargesOf(ownCheckout.session), []);
  assert.equal((await otherCheckout.confirm(typedByOther)).body.status, "complete");
});

test("a challenge closed by the customer ends as canceled once, and the session accepts another card", async () => {
  const browser = await createCheckout(shop);
  assert.equal((await browser.pay("4000002760003184")).body.status, "requires_action");
  const [first, second] = await Promise.all([browser.cancelChallenge(), browser.cancelChallenge()]);
  assert.deepEqual([first.status, second.status], [200, 200]);
  const { body } = await browser.readSession();
  assert.deepEqual(
    [body.status, body.attempts, body.last_payment_error.decline_code],
    ["open", 1, "authentication_canceled"],
  );
  // Without a challenge there is nothing to cancel.
  assert.equal((await browser.cancelChallenge()).body.status, "open");
  assert.equal((await browser.pay("4242424242424242")).body.status, "complete");
  assert.equal((await browser.cancelChallenge()).body.status, "complete");
});

test("no response to the holder of a client secret may be stored by a cache", async () => {
  const checkout = await createCheckout(shop);
  const authorization = `Bearer ${checkout.secret}`;
  for (const [method, path, body] of [
    ["GET", `/embed/api/checkout_sessions/${checkout.session}`, undefined],
    ["POST", `/embed/api/checkout_sessions/${checkout.session}/cancel_challenge`, {}],
  ] as const) {
    const { status, headers } = await shop.send(method, path, {
      headers: { authorization },
      ...(body && { body }),
    });
    assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"], path);
  }
});

test("CSP violations are counted and logged without the secrets of a URL", async () => {
  const report = (body: object, type: string) =>
    shop.send("POST", "/embed/csp-reports", { headers: { "content-type": type }, body });
  const older = await report(
    {
      "csp-report": {
        "effective-directive": "script-src-elem",
        "blocked-uri": "https://evil.example/a?secret=1",
        "document-uri": "https://pay.example/embed/cs_1",
      },
    },
    "application/csp-report",
  );
  const newer = await report(
    [{ type: "csp-violation", body: { effectiveDirective: "img-src", blockedURL: "inline" } }],
    "application/reports+json",
  );
  assert.deepEqual([older.status, newer.status], [204, 204]);
  const lines = shop.log.filter(({ directive }) => directive);
  assert.deepEqual(
    lines.map(({ directive, blocked, times }) => [directive, blocked, times]),
    [
      ["script-src-elem", "https://evil.example", 1],
      ["img-src", "inline", 1],
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines), /secret|cs_1/);
});

test("an invalid CSP report gets the same response as a valid one and is not counted", async () => {
  const before = shop.log.length;
  const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
  for (const directive of ['{"toString":1}', "[{}]", "7", "null", deep]) {
    const reply = await shop.send("POST", "/embed/csp-reports", {
      headers: { "content-type": "application/csp-report" },
      body: `{"csp-report":{"effective-directive":${directive}}}`,
    });
    assert.equal(reply.status, 204, `${directive.slice(0, 20)} ${reply.text}`);
  }
  assert.deepEqual(shop.log.slice(before), []);
});

test("the loader has a permanent URL with the hash that a browser verifies", async () => {
  const published = (await shop.send("GET", "/embed.json")).body;
  const path = new URL(published.src).pathname;
  const pinned = await shop.send("GET", path);
  assert.equal(pinned.status, 200);
  assert.match(pinned.headers.get("cache-control") ?? "", /immutable/);
  assert.equal(pinned.headers.get("access-control-allow-origin"), "*");
  const hash = createHash("sha384").update(pinned.text).digest("base64");
  assert.equal(published.integrity, `sha384-${hash}`);
  const floating = await shop.send("GET", "/embed.js");
  assert.equal(floating.text, pinned.text);
  assert.doesNotMatch(floating.headers.get("cache-control") ?? "", /immutable/);
});

test("the card form's document uses the session's locale, or else the browser's", async () => {
  const german = await createCheckout(shop, { locale: "de" });
  const plain = await createCheckout(shop);
  const lang = async (session: string, query = "", accept = "fr-CA, en;q=0.5") => {
    const headers = { "accept-language": accept };
    const { text } = await shop.send("GET", `/embed/${session}${query}`, { headers });
    return /<html lang="([^"]*)" dir="([a-z]*)"/.exec(text)?.slice(1).join(" ");
  };
  assert.equal(await lang(german.session), "de ltr");
  assert.equal(await lang(plain.session), "fr-CA ltr");
  assert.equal(await lang(german.session, "?locale=ar"), "ar rtl");
  assert.equal(await lang(plain.session, "?locale=%22%3E%3Cscript%3E", "xx"), "en ltr");
});

test("404: a browser with a damaged address of a session gets a page in its language, with the merchant's name", async () => {
  const { session } = await createCheckout(shop, { locale: "de" });
  const open = (path: string, accept = "text/html,*/*;q=0.8") =>
    shop.send("GET", path, { headers: { accept, "accept-language": "fr-CA, en;q=0.5" } });

  const damaged = await open(`/embed/${session}).`);
  assert.equal(damaged.status, 404);
  assert.match(damaged.headers.get("content-type") ?? "", /^text\/html/);
  assert.match(damaged.text, /<html lang="de" dir="ltr"/);
  assert.match(damaged.text, /Fieldware/);
  assert.doesNotMatch(damaged.text, /<script/);

  const longer = await open(`/embed/${session}/x/y`);
  assert.equal(longer.status, 404);
  assert.match(longer.text, /<html lang="de" dir="ltr"[\s\S]*Fieldware/);
  assert.equal((await shop.send("POST", "/embed/api/unknown")).status, 404);

  const unknown = await open("/embed/cs_nothing%22%3E");
  assert.equal(unknown.status, 404);
  assert.match(unknown.text, /<html lang="fr-CA" dir="ltr"/);
  assert.doesNotMatch(unknown.text, /Fieldware|nothing/);
  assert.match((await open("/embed/cs_nothing?locale=ar")).text, /<html lang="ar" dir="rtl"/);

  const client = await open("/embed/cs_nothing", "*/*");
  assert.equal(client.status, 404);
  assert.equal(client.body.error.code, "resource_missing");
});

test("a session's address with a trailing slash leads to the session", async () => {
  const { session } = await createCheckout(shop);
  const reply = await fetch(`${shop.url}/embed/${session}/?locale=de`, { redirect: "manual" });
  assert.deepEqual(
    [reply.status, reply.headers.get("location")],
    [302, `/embed/${session}?locale=de`],
  );
});
