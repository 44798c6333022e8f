import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AdyenPayment,
  approvedCard,
  type ConnectedMerchant,
  connectAdyen,
  pay,
  startAdyenShop,
} from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";

/** The merchant accounts of a merchant's connections, by priority. */
const accounts = ["FieldwareECOM", "FieldwareNext", "FieldwareLast"] as const;
const { adyen, shop } = await startAdyenShop();
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const connections = createConnectionClient(shop, operator);

const merchant = await connectAdyen(shop, adyen, { merchantAccount: accounts[0], priority: 1 });
const { account, key } = merchant;
const more: ConnectedMerchant[] = [];
for (const [index, merchantAccount] of accounts.slice(1).entries()) {
  more.push(await connectAdyen(shop, adyen, { merchant, merchantAccount, priority: index + 2 }));
}
const [first, second, third] = [merchant, ...more].map(({ assignment }) => assignment) as [
  string,
  string,
  string,
];

const path = `/operator/v1/accounts/${account}/routing_rules`;
const reason = "Agreed with the merchant.";
const to = (...targets: (readonly [assignment: string, weight: number])[]) =>
  targets.map(([assignment, weight]) => ({ assignment, weight }));

async function replaceRules(...rules: object[]) {
  const { version } = (await operator.send("GET", path)).body;
  const reply = await operator.send("PUT", path, {
    version,
    rules,
    cascade_declines: false,
    reason,
  });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

const eur = { amount: 4_200, currency: "eur", card_network: "visa" };
const simulate = async (payment: object = {}, rules?: object[]) =>
  operator.send("POST", "/operator/v1/routing/simulate", {
    account,
    payment: { ...eur, ...payment },
    ...(rules && { rules }),
  });
const orderOf = async (...of: Parameters<typeof simulate>) =>
  (await simulate(...of)).body.order.map(({ assignment }: { assignment: string }) => assignment);

/** Pays a new session, and returns the charge with the merchant account that received it. */
async function payOnce(session: object = {}) {
  const browser = await createCheckout(shop, session, key);
  await pay(browser, approvedCard);
  const { data } = (await shop.get(`/charges?checkout_session_id=${browser.session}`, { as: key }))
    .body;
  const [payment] = (await adyen.payments(`reference=${data[0].id}`)) as readonly (AdyenPayment & {
    merchantAccount: string;
  })[];
  const { route } = (await shop.get(`/charges/${data[0].id}/timeline`, { as: key })).body;
  return { charge: data[0], merchantAccount: payment?.merchantAccount, route };
}

test("rules are replaced with the version that the operator read, and every change is audited", async () => {
  assert.deepEqual((await operator.send("GET", path)).body, {
    object: "routing_rules",
    account,
    version: 0,
    cascade_declines: false,
    rules: [],
  });
  const rule = { name: "Gold", condition: "metadata['plan'] == 'gold'", targets: to([third, 1]) };
  const { version, rules } = await replaceRules(rule);
  assert.deepEqual([version, rules], [1, [rule]]);
  assert.deepEqual((await operator.send("GET", path)).body.rules, [rule]);

  const stale = await operator.send("PUT", path, {
    version: 0,
    rules: [],
    cascade_declines: false,
    reason,
  });
  assert.deepEqual(errorOf(stale), [400, "invalid_request_error", "resource_changed", "version"]);
  const { data } = (await operator.send("GET", "/operator/v1/audit")).body;
  const entry = data.find(({ action }: { action: string }) => action === "routing.changed");
  assert.deepEqual(entry.after, { version: 1, cascade_declines: false, rules: [rule] });
});

for (const [problem, rule, param, message] of [
  [
    "a condition with an unknown field",
    { condition: "amont > 5" },
    "rules[0].condition",
    /Did you mean `amount`/,
  ],
  [
    "a condition that is not true or false",
    { condition: "amount" },
    "rules[0].condition",
    /must be true or false/,
  ],
  [
    "a target of another account",
    { targets: to(["asg_01kdvtxc00e9m8q2v7z4h6k1sb", 1]) },
    "rules[0].targets[0].assignment",
    /not an active assignment of this account/,
  ],
  ["a target twice", { targets: to([first, 1], [first, 2]) }, "rules[0].targets", /twice/],
  [
    "conditions that take too long",
    { condition: Array(20).fill("amount + 1 > 2").join(" || "), copies: 4 },
    "rules",
    /too complex/,
  ],
] as const) {
  test(`400: rules with ${problem} are rejected`, async () => {
    const { copies = 1, ...changes } = { copies: 1, ...rule };
    const sent = { name: "A rule", condition: null, targets: to([first, 1]), ...changes };
    const { version } = (await operator.send("GET", path)).body;
    const rules = Array(copies).fill(sent);
    for (const reply of [
      await operator.send("PUT", path, { version, rules, cascade_declines: false, reason }),
      await simulate({}, rules),
    ]) {
      const invalid = [400, "invalid_request_error", "parameter_invalid", param];
      assert.deepEqual(errorOf(reply), invalid, reply.text);
      assert.match(reply.body.error.message, message);
    }
  });
}

test("a charge is sent over the connection of the first rule that matches, and its timeline says why", async () => {
  await replaceRules(
    { name: "Large", condition: "amount > 1000000", targets: to([second, 1]) },
    { name: "Gold", condition: "metadata['plan'] == 'gold'", targets: to([third, 1]) },
  );
  const gold = await payOnce({ metadata: { plan: "gold" } });
  assert.equal(gold.charge.status, "succeeded");
  assert.equal(gold.merchantAccount, accounts[2]);
  const connection = (index: number, result: string, rule: number | null) => ({
    processor: "adyen",
    merchant_account: accounts[index],
    result,
    rule,
    reason: null,
  });
  assert.deepEqual(gold.route, {
    rules: [{ number: 2, name: "Gold" }],
    connections: [
      connection(2, "used", 2),
      connection(0, "not_needed", null),
      connection(1, "not_needed", null),
    ],
  });
  assert.equal((await payOnce()).merchantAccount, accounts[0]);
});

test("the explanation of a charge keeps the names of the rules that it was routed by", async () => {
  await replaceRules({ name: "Before", condition: null, targets: to([second, 1]) });
  const { charge, route } = await payOnce();
  await replaceRules({ name: "After", condition: null, targets: to([third, 1]) });
  const later = (await shop.get(`/charges/${charge.id}/timeline`, { as: key })).body;
  assert.deepEqual(later.route, route);
  assert.deepEqual(route.rules, [{ number: 1, name: "Before" }]);
});

test("a weighted split sends every charge where the simulation of its ID says", async () => {
  await replaceRules({ name: "Split", condition: null, targets: to([first, 1], [second, 1]) });
  const used = new Set();
  // With probability 1 - 2^-59, 60 payments use both connections.
  for (let payments = 0; payments < 12 || (used.size < 2 && payments < 60); payments++) {
    const { charge, merchantAccount } = await payOnce();
    const { order } = (await simulate({ charge_id: charge.id })).body;
    assert.equal(merchantAccount, order[0].merchant_account);
    used.add(merchantAccount);
  }
  assert.deepEqual([...used].sort(), [accounts[0], accounts[1]]);
});

test("a simulation names the order, the shares, and the reason for each connection that is not used", async () => {
  const rules = [
    { name: "Yen", condition: "currency == 'jpy'", targets: to([third, 1]) },
    { name: "Split", condition: null, targets: to([second, 1], [first, 3]) },
  ];
  const { body } = await simulate({}, rules);
  assert.deepEqual(
    body.rules.map(({ matches }: { matches: boolean }) => matches),
    [false, true],
  );
  assert.deepEqual(
    body.order.map(({ assignment, rule, share }: Record<string, unknown>) => [
      assignment,
      rule,
      share,
    ]),
    [
      [first, 2, 75],
      [second, 2, 25],
      [third, null, 0],
    ],
  );
  assert.equal(body.order[0].connection, merchant.connection);

  await connections.change("POST", merchant.connection, "suspend");
  const suspended = (await simulate({}, rules)).body;
  assert.deepEqual(
    suspended.skipped.map(({ assignment, reason: why }: Record<string, unknown>) => [
      assignment,
      why,
    ]),
    [[first, "suspended"]],
  );
  assert.equal(suspended.order[0].share, 100);
  await connections.change("POST", merchant.connection, "resume");
});

test("suspended and draining connections take no new charges, even if a rule names them", async () => {
  await replaceRules({ name: "All", condition: null, targets: to([third, 1]) });
  const { connection } = more[1] as { connection: string };
  await connections.change("POST", connection, "suspend");
  assert.equal((await payOnce()).merchantAccount, accounts[0]);
  await connections.change("POST", connection, "drain");
  const { merchantAccount, route } = await payOnce();
  assert.equal(merchantAccount, accounts[0]);
  assert.deepEqual(route.connections.at(-1), {
    processor: "adyen",
    merchant_account: accounts[2],
    result: "skipped",
    rule: null,
    reason: "draining",
  });
  assert.deepEqual(await orderOf(), [first, second]);
});
