import assert from "node:assert/strict";
import { test } from "node:test";
import { type AssignmentId, type ConnectionId, newId } from "../../core/ids.ts";
import { type Candidate, route } from "./route.ts";
import { gatewayCard, type RoutedPayment } from "./routed-payment.ts";
import { compileRules, type RoutingRule } from "./routing-rule.ts";

const now = new Date("2026-03-01T12:00:00Z");
const [first, second, third] = [0, 1, 2].map(() => newId("asg", now)) as [
  AssignmentId,
  AssignmentId,
  AssignmentId,
];
const connections = new Map([first, second, third].map((id) => [id, newId("con", now)]));
const connectionOf = (id: AssignmentId) => connections.get(id) as ConnectionId;

const candidate = (id: AssignmentId, more: Partial<Candidate> = {}, terms: object = {}) =>
  ({
    assignment: {
      id,
      connection: connectionOf(id),
      currencies: null,
      networks: null,
      countries: null,
      ...terms,
    },
    unavailable: null,
    isCircuitOpen: false,
    represents: () => true,
    acceptsNetworkTokens: true,
    gatewayWallets: new Set(),
    ...more,
  }) satisfies Candidate;

const payment: RoutedPayment = {
  key: newId("ch", now),
  price: { amountMinor: 4_200, currency: "eur" },
  card: {
    networks: { available: ["visa"], preferred: null },
    country: "DE",
    funding: "debit",
  },
  metadata: { plan: "gold" },
};

const all = [candidate(first), candidate(second), candidate(third)];
const rule = (condition: string | null, ...targets: AssignmentId[]): RoutingRule => ({
  name: "A rule",
  condition,
  targets: targets.map((assignment) => ({ assignment, weight: 1 })),
});
const rulesOf = (...rules: RoutingRule[]) =>
  compileRules({ version: 7, cascadeDeclines: false, rules });
const without = rulesOf();
const orderOf = (...route_: Parameters<typeof route>) =>
  route(...route_).order.map(({ assignment }) => assignment);

test("without rules, the assignments are tried by priority", () => {
  assert.deepEqual(route(all, without, payment), {
    rules: 7,
    matched: [],
    order: [first, second, third].map((assignment) => ({ assignment, rule: 0 })),
    skipped: [],
  });
});

test("the targets of rules that match come first, in the order of the rules, and the rest follows by priority", () => {
  const rules = rulesOf(
    rule("amount > 100000", second),
    rule("card_country in ['DE', 'AT'] && card_funding == 'debit'", third),
    rule(null, second),
  );
  const found = route(all, rules, payment);
  assert.deepEqual(found.matched, [2, 3]);
  assert.deepEqual(found.order, [
    { assignment: third, rule: 2 },
    { assignment: second, rule: 3 },
    { assignment: first, rule: 0 },
  ]);
});

for (const [condition, matches] of [
  ["amount == 4200 && currency == 'eur'", true],
  ["card_network == 'visa'", true],
  ["card_network == 'mastercard'", false],
  ["metadata['plan'] == 'gold'", true],
  ["metadata.plan.startsWith('go')", true],
  ["metadata['region'] == ''", true],
  ["metadata['constructor'] == ''", true],
  ["metadata['region'] == 'eu'", false],
  ["1 / (amount - 4200) > 0", false],
] as const) {
  test(`${condition} ${matches ? "matches" : "does not match"}`, () => {
    assert.deepEqual(
      route(all, rulesOf(rule(condition, third)), payment).matched,
      matches ? [1] : [],
    );
  });
}

test("a stored condition that is not accepted never matches", () => {
  assert.deepEqual(route(all, rulesOf(rule("planet == 'earth'", third)), payment).matched, []);
});

for (const [reason, excluded] of [
  ["suspended", candidate(first, { unavailable: "suspended" })],
  ["draining", candidate(first, { unavailable: "draining" })],
  ["amount", candidate(first, { represents: () => false })],
  ["currency", candidate(first, {}, { currencies: ["usd"] })],
  ["network", candidate(first, {}, { networks: ["mastercard"] })],
  ["country", candidate(first, {}, { countries: ["FR"] })],
  ["circuit_open", candidate(first, { isCircuitOpen: true })],
] as const) {
  test(`an assignment is not tried, even by a rule, and has the reason '${reason}'`, () => {
    const candidates = [excluded, candidate(second), candidate(third)];
    const found = route(candidates, rulesOf(rule(null, first)), payment);
    assert.deepEqual(
      found.order.map(({ assignment }) => assignment),
      [second, third],
    );
    assert.deepEqual(found.skipped, [{ assignment: first, reason }]);
  });
}

test("a connection that has been tried is not tried again, and its rule's next target follows", () => {
  const rules = rulesOf(rule(null, third, second));
  const [chosen, next] = orderOf(all, rules, payment) as [AssignmentId, AssignmentId];
  const found = route(all, rules, payment, new Set([connectionOf(chosen)]));
  assert.equal(found.order[0]?.assignment, next);
  assert.deepEqual(found.skipped, [{ assignment: chosen, reason: "tried" }]);
});

test("a new payment is sent to an open circuit only if all circuits are open, and a failover never is", () => {
  const open = all.map((one) => ({ ...one, isCircuitOpen: true }));
  assert.deepEqual(orderOf(open, without, payment), [first, second, third]);
  assert.deepEqual(orderOf(open, without, payment, new Set([connectionOf(first)])), []);
});

test("a network token is sent only over connections whose acquirer accepts network tokens", () => {
  const [other] = [candidate(first, { acceptsNetworkTokens: false })];
  const candidates = [other, candidate(second)];
  const token = { ...payment, card: { ...payment.card, isNetworkToken: true } };
  assert.deepEqual(orderOf(candidates, without, token), [second]);
  assert.deepEqual(orderOf(candidates, without, payment), [first, second]);
});

test("a wallet's token is sent only over its assignment, and not over another in a failover", () => {
  const gatewayWallets: Candidate["gatewayWallets"] = new Set(["google_pay"]);
  const gateways = [first, second, third].map((id) => candidate(id, { gatewayWallets }));
  const token = { ...payment, card: { ...gatewayCard("google_pay"), onlyAssignment: second } };
  const rules = rulesOf(rule(null, first));
  const found = route(gateways, rules, token);
  assert.deepEqual(
    found.order.map(({ assignment }) => assignment),
    [second],
  );
  assert.deepEqual(found.skipped, [
    { assignment: first, reason: "other_connection" },
    { assignment: third, reason: "other_connection" },
  ]);
  assert.deepEqual(orderOf(gateways, rules, token, new Set([connectionOf(second)])), []);
});

test("a wallet's token is sent to an open circuit, because no other acquirer can decrypt it", () => {
  const gatewayWallets: Candidate["gatewayWallets"] = new Set(["google_pay"]);
  const gateways = [
    candidate(first, { gatewayWallets, isCircuitOpen: true }),
    candidate(second, { gatewayWallets }),
  ];
  const token = { ...payment, card: { ...gatewayCard("google_pay"), onlyAssignment: first } };
  assert.deepEqual(orderOf(gateways, without, token), [first]);
});

test("a wallet's token is not sent to an acquirer that does not decrypt the tokens of the wallet", () => {
  const candidates = [candidate(first, { gatewayWallets: new Set(["google_pay"]) })];
  const token = { ...payment, card: { ...gatewayCard("apple_pay"), onlyAssignment: first } };
  const found = route(candidates, without, token);
  assert.deepEqual(found.order, []);
  assert.deepEqual(found.skipped, [{ assignment: first, reason: "gateway_token" }]);
});

test("a card of an unknown country or network is not sent over an assignment that is limited to some", () => {
  const limited = [candidate(first, {}, { countries: ["DE"] })];
  const unknown = { ...payment, card: { ...payment.card, country: null } };
  assert.deepEqual(orderOf(limited, without, unknown), []);
});
