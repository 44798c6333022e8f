import assert from "node:assert/strict";
import { after, test } from "node:test";
import { defaultAmounts } from "@florin/contract/currency.ts";
import { uuidOf } from "../../src/core/ids.ts";
import { feeFor } from "../../src/payments/ledger/posting-rules.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const rejected = (code: string, param?: string) =>
  param === undefined
    ? [400, "invalid_request_error", code]
    : [400, "invalid_request_error", code, param];

test("201: a charge of a valid card succeeds immediately for the full amount", async () => {
  const { status, body } = await shop.post("/charges", visa);
  assert.equal(status, 201);
  assert.deepEqual(
    [body.object, body.status, body.livemode, body.amount, body.amount_captured, body.currency],
    ["charge", "succeeded", false, 1999, 1999, "usd"],
  );
  assert.deepEqual(
    [body.pending_reason, body.failure_code, body.next_action, body.refunded, body.disputed],
    [null, null, null, false, false],
  );
});

test("201: the charge shows only the masked card, with the last four digits", async () => {
  const { body, text } = await shop.post("/charges", visa);
  const { brand, last4, funding, country, checks } = body.payment_method_details.card;
  assert.deepEqual([brand, last4, funding, country], ["visa", "4242", "credit", "US"]);
  assert.equal(checks.cvc_check, "pass");
  assert.doesNotMatch(text, /4242424242/);
});

test("201: stores and returns the merchant's own fields", async () => {
  const along = {
    description: "Order 7 – zwölf Äpfel 🍏",
    statement_descriptor: "FIELDWARE 7",
    off_session: true,
    return_url: "https://shop.example/back",
    metadata: { order: "7", note: 'quotes " and \\ and {NULL}', empty: "" },
  };
  const { body } = await shop.post("/charges", { ...visa, ...along });
  const stored = await shop.get(`/charges/${body.id}`);
  for (const [name, value] of Object.entries(along))
    assert.deepEqual(stored.body[name], value, name);
});

test("201: a succeeded charge emits payment.succeeded once, with the complete charge", async () => {
  const { body, headers } = await shop.post("/charges", visa, { key: "announced" });
  const events = await shop.events(body.id);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["payment.succeeded"],
  );
  const [event] = events;
  assert.deepEqual(event.data.object, body);
  assert.deepEqual(event.request, {
    id: headers.get("request-id"),
    idempotency_key: "announced",
  });
});

test("201: the ledger records that the acquirer owes the amount and that the merchant gets it less the fee", async () => {
  const { body } = await shop.post("/charges", visa);
  const lines = await shop.app.database.read<{ kind: string; amount: number; entry_id: string }>`
    select kind, amount, entry_id from ledger_transfers where source_id = ${uuidOf(body.id)} order by line`;
  const fee = feeFor(1999, { basisPoints: 290, fixedMinor: 30 });
  assert.deepEqual(
    lines.map(({ kind, amount }) => [kind, amount]),
    [
      ["charge", 1999],
      ["fee", fee],
    ],
  );
  assert.equal(lines[0]?.entry_id, uuidOf(body.balance_transaction_id));
});

test("201: with capture_method manual the amount is authorized for seven days and not captured", async () => {
  const { status, body } = await shop.post("/charges", { ...visa, capture_method: "manual" });
  assert.equal(status, 201);
  assert.deepEqual(
    [body.status, body.amount_captured, body.balance_transaction_id],
    ["authorized", 0, null],
  );
  const [event, ...others] = await shop.events(body.id);
  assert.equal(event?.type, "payment.authorized");
  assert.deepEqual(others, []);
  assert.equal(body.capture_before - event.created, 7 * 24 * 60 * 60);
});

test("201: a card that requires 3-D Secure waits for authentication on a hosted page", async () => {
  const card = { ...visa, payment_method_id: "pm_card_authenticationRequired" };
  const { status, body } = await shop.post("/charges", card);
  assert.equal(status, 201);
  assert.equal(body.status, "requires_action");
  assert.equal(body.next_action.type, "redirect");
  assert.ok(body.next_action.url.startsWith(`${shop.url}/challenge/`));
  assert.deepEqual(
    (await shop.events(body.id)).map(({ type }) => type),
    ["payment.requires_action"],
  );
});

test("201: the automatic decision of a charge can be read", async () => {
  const { body } = await shop.post("/charges", visa);
  const decision = await shop.get(`/decisions/${body.decision_id}`);
  assert.deepEqual(
    [decision.body.outcome, decision.body.status, decision.body.charge_id],
    ["approve", "used", body.id],
  );
});

test("201: an approving decision is used by exactly one charge", async () => {
  const { id } = (await shop.post("/decisions", visa)).body;
  const { status, body } = await shop.post("/charges", { ...visa, decision_id: id });
  assert.deepEqual([status, body.decision_id, body.status], [201, id, "succeeded"]);
  const decision = (await shop.get(`/decisions/${id}`)).body;
  assert.deepEqual([decision.status, decision.charge_id], ["used", body.id]);
  const second = await shop.post("/charges", { ...visa, decision_id: id });
  assert.deepEqual(errorOf(second), rejected("decision_already_used", "decision_id"));
});

test("201: of many concurrent charges with one decision, one is created", async () => {
  const { id } = (await shop.post("/decisions", visa)).body;
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => shop.post("/charges", { ...visa, decision_id: id })),
  );
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  for (const reply of replies.filter(({ status }) => status !== 201)) {
    assert.deepEqual(errorOf(reply), rejected("decision_already_used", "decision_id"));
  }
});

test("201: accepts the smallest and the largest amount of currencies with zero, two and three decimals", async () => {
  for (const currency of ["usd", "jpy", "kwd", "idr"] as const) {
    const { minCharge, maxCharge } = defaultAmounts[currency];
    for (const amount of [minCharge, maxCharge]) {
      const { status, body } = await shop.post("/charges", { ...visa, amount, currency });
      assert.deepEqual([status, body.amount, body.currency], [201, amount, currency]);
    }
  }
});

test("201: fifty concurrent charges each get their own id and one event", async () => {
  const merchant = await shop.createMerchant();
  const as = merchant.key;
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      shop.post("/charges", { ...visa, amount: 1000 + index }, { as }),
    ),
  );
  assert.deepEqual(
    replies.map(({ body }) => body.amount),
    Array.from({ length: 50 }, (_, index) => 1000 + index),
  );
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 50);
  const events = await shop.get("/events?limit=100", { as });
  assert.equal(
    new Set(
      events.body.data.map((event: { data: { object: { id: string } } }) => event.data.object.id),
    ).size,
    50,
  );
  assert.equal(events.body.data.length, 50);
});

for (const name of ["amount", "currency", "payment_method_id"] as const) {
  test(`400: rejects a charge without ${name} and names the parameter`, async () => {
    const { [name]: _, ...rest } = visa;
    assert.deepEqual(
      errorOf(await shop.post("/charges", rest)),
      rejected("parameter_missing", name),
    );
  });
}

for (const [what, change, code, param] of [
  ["an amount of zero", { amount: 0 }, "invalid_charge_amount", "amount"],
  ["a negative amount", { amount: -1999 }, "invalid_charge_amount", "amount"],
  ["an amount below 50", { amount: 49 }, "amount_too_small", "amount"],
  ["an amount of nine digits", { amount: 100_000_000 }, "amount_too_large", "amount"],
  ["an amount with a fraction", { amount: 19.99 }, "parameter_invalid_integer", "amount"],
  ["an amount in quotes", { amount: "1999" }, "parameter_invalid_integer", "amount"],
  ["an amount of null", { amount: null }, "parameter_invalid_integer", "amount"],
  ["an upper-case currency", { currency: "USD" }, "currency_unsupported", "currency"],
  ["an unknown currency", { currency: "xxx" }, "currency_unsupported", "currency"],
  ["an unknown capture method", { capture_method: "later" }, "parameter_invalid", "capture_method"],
  ["off_session in quotes", { off_session: "true" }, "parameter_invalid", "off_session"],
  ["an empty description", { description: "" }, "parameter_invalid_string_empty", "description"],
  ["a blank description", { description: "  " }, "parameter_invalid_string_blank", "description"],
  [
    "a statement descriptor with a star",
    { statement_descriptor: "FIELD*WARE" },
    "invalid_characters",
    "statement_descriptor",
  ],
  [
    "a statement descriptor with a line break",
    { statement_descriptor: "FIELD\r\nWARE" },
    "invalid_characters",
    "statement_descriptor",
  ],
  ["a return_url without a scheme", { return_url: "shop.example" }, "url_invalid", "return_url"],
  ["metadata that is a list", { metadata: [] }, "metadata_invalid", "metadata"],
  [
    "a number as a metadata value",
    { metadata: { order: 7 } },
    "metadata_invalid",
    "metadata.order",
  ],
  [
    "a metadata value that is too long",
    { metadata: { order: "x".repeat(501) } },
    "metadata_invalid",
    "metadata.order",
  ],
  ["an unknown field", { captured: true }, "parameter_unknown", "captured"],
] as const) {
  test(`400: rejects ${what} with ${code}`, async () => {
    const reply = await shop.post("/charges", { ...visa, ...change });
    assert.deepEqual(errorOf(reply), rejected(code, param));
  });
}

test("400: suggests leaving an empty parameter out only if it is optional", async () => {
  const messageOf = async (change: object) =>
    (await shop.post("/charges", { ...visa, ...change })).body.error.message;
  assert.equal(
    await messageOf({ payment_method_id: "" }),
    "`payment_method_id` must not be an empty string. Send a string with content.",
  );
  assert.equal(
    await messageOf({ description: "" }),
    "`description` must not be an empty string. Send a string with content, or leave the parameter out.",
  );
  assert.equal(
    await messageOf({ description: " " }),
    "`description` must not consist only of white space or invisible characters. Send a string with content, or leave the parameter out.",
  );
});

test("400: rejects fifty-one metadata pairs", async () => {
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));
  assert.equal((await shop.post("/charges", { ...visa, metadata: pairs(50) })).status, 201);
  const reply = await shop.post("/charges", { ...visa, metadata: pairs(51) });
  assert.deepEqual(errorOf(reply), rejected("metadata_invalid", "metadata"));
});

for (const [param, id] of [
  ["payment_method_id", "pm_card_nothing"],
  ["payment_method_id", "pm_01jb0000000000000000000000"],
  ["customer_id", "cus_01jb0000000000000000000000"],
  ["decision_id", "dec_01jb0000000000000000000000"],
  ["decision_id", "nonsense"],
] as const) {
  test(`400: rejects an unknown ${param} (${id}) and names the parameter`, async () => {
    const reply = await shop.post("/charges", { ...visa, [param]: id });
    assert.deepEqual(errorOf(reply), rejected("resource_missing", param));
  });
}

for (const [what, change] of [
  ["amount", { amount: 2000 }],
  ["currency", { currency: "eur" }],
  ["payment_method_id", { payment_method_id: "pm_card_mastercard" }],
] as const) {
  test(`400: rejects a decision about another ${what}, which stays unused`, async () => {
    const { id } = (await shop.post("/decisions", visa)).body;
    const reply = await shop.post("/charges", { ...visa, ...change, decision_id: id });
    assert.deepEqual(errorOf(reply), rejected("decision_mismatch", "decision_id"));
    assert.match(reply.body.error.message, new RegExp(what));
    assert.equal((await shop.get(`/decisions/${id}`)).body.status, "active");
  });
}

test("400: rejects a decision that is older than 30 minutes", async () => {
  const { id, expires_at } = (await shop.post("/decisions", visa)).body;
  const now = Math.floor(shop.clock.now().getTime() / 1000);
  shop.clock.advance((expires_at - now + 1) * 1000);
  const reply = await shop.post("/charges", { ...visa, decision_id: id });
  assert.deepEqual(errorOf(reply), rejected("decision_expired", "decision_id"));
});

test("400: a rejected request writes nothing", async () => {
  const { key } = await shop.createMerchant();
  await shop.post("/charges", { ...visa, amount: 1 }, { as: key });
  await shop.post("/charges", { ...visa, payment_method_id: "pm_nothing" }, { as: key });
  for (const list of ["charges", "events", "decisions"]) {
    assert.deepEqual((await shop.get(`/${list}`, { as: key })).body.data, [], list);
  }
});

test("402: a decline returns its reason, the advice and the charge id", async () => {
  const declined = { ...visa, payment_method_id: "pm_card_visa_chargeDeclinedInsufficientFunds" };
  const reply = await shop.post("/charges", declined);
  assert.deepEqual(errorOf(reply), [402, "card_error", "card_declined"]);
  const { error } = reply.body;
  assert.deepEqual(
    [error.decline_code, error.advice_code, error.network_decline_code],
    ["insufficient_funds", "try_again_later", "51"],
  );
  const charge = (await shop.get(`/charges/${error.charge}`)).body;
  assert.deepEqual(
    [charge.status, charge.failure_code, charge.decline_code, charge.amount_captured],
    ["failed", "card_declined", "insufficient_funds", 0],
  );
});

test("402: a decline emits payment_failed once, spelled as in the specification, and moves no money", async () => {
  const declined = { ...visa, payment_method_id: "pm_card_visa_chargeDeclined" };
  const { charge } = (await shop.post("/charges", declined)).body.error;
  assert.deepEqual(
    (await shop.events(charge)).map(({ type }) => type),
    ["payment_failed"],
  );
  const lines = await shop.app.database.read`
    select 1 from ledger_transfers where source_id = ${uuidOf(charge)}`;
  assert.equal(lines.length, 0);
});

test("402: a block by a rule returns the same code with and without a decision_id", async () => {
  const { key: as } = await shop.createMerchant();
  await shop.post("/rules", { expression: "amount > 1000", outcome: "decline" }, { as });
  const { id } = (await shop.post("/decisions", visa, { as })).body;
  for (const body of [visa, { ...visa, decision_id: id }]) {
    const reply = await shop.post("/charges", body, { as });
    assert.deepEqual(errorOf(reply), [402, "card_error", "blocked_by_decision"]);
    assert.equal(reply.body.error.decline_code, "fraudulent");
    const charge = (await shop.get(`/charges/${reply.body.error.charge}`, { as })).body;
    assert.deepEqual(
      [charge.failure_code, charge.outcome.network_status],
      ["blocked_by_decision", "not_sent_to_network"],
    );
  }
});

test("402: a decision to decline sends nothing to the acquirer", async () => {
  const blocked = { ...visa, payment_method_id: "pm_card_visa_chargeDeclinedFraudulent" };
  const decision = (await shop.post("/decisions", blocked)).body;
  assert.equal(decision.outcome, "decline");
  const reply = await shop.post("/charges", { ...blocked, decision_id: decision.id });
  assert.deepEqual(errorOf(reply), [402, "card_error", "card_declined"]);
  assert.equal(reply.body.error.decline_code, "fraudulent");
  const { charge } = reply.body.error;
  const requested = await shop.app.database.read`
    select 1 from simulator.authorizations where reference = ${uuidOf(charge)}`;
  assert.equal(requested.length, 0);
  assert.equal(
    (await shop.get(`/charges/${charge}`)).body.outcome.network_status,
    "not_sent_to_network",
  );
});

test("402: an approval for half the amount is reversed and returned as a decline", async () => {
  const reply = await shop.post("/charges", { ...visa, amount: 9_006_002 });
  assert.deepEqual(errorOf(reply), [402, "card_error", "card_declined"]);
  assert.equal(reply.body.error.decline_code, "insufficient_funds");
  const [line] = await shop.app.database.read<{ state: string }>`
    select state from simulator.authorizations where reference = ${uuidOf(reply.body.error.charge)}`;
  assert.equal(line?.state, "reversed");
});

test("402: an off-session charge of a card that requires 3-D Secure is declined with that reason", async () => {
  const payment_method_id = "pm_card_authenticationRequired";
  const reply = await shop.post("/charges", { ...visa, payment_method_id, off_session: true });
  assert.deepEqual(errorOf(reply), [402, "card_error", "authentication_required"]);
  assert.equal(reply.body.error.decline_code, "authentication_required");
});
