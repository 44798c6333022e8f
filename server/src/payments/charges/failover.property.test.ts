import assert from "node:assert/strict";
import { test } from "node:test";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import fc from "fast-check";
import { dose } from "../../../test/test-size.ts";
import type { AuthorizationOutcome } from "../../acquiring/outcome.ts";
import { type Candidate, route } from "../../acquiring/routing/route.ts";
import { gatewayCard, type RoutedPayment } from "../../acquiring/routing/routed-payment.ts";
import { compileRules, noRules } from "../../acquiring/routing/routing-rule.ts";
import { type AssignmentId, type ChargeId, type ConnectionId, idFromUuid } from "../../core/ids.ts";
import { authorizeInTurn } from "./failover.ts";

const start = new Date("2026-03-01T12:00:00Z");
const maxConnections = 4;
const assignments = Array.from({ length: maxConnections }, (_, index) => ({
  id: idFromUuid("asg", `019caa00-0000-7000-8000-00000000000${index}`),
  connection: idFromUuid("con", `019caa00-0000-7000-9000-00000000000${index}`),
  currencies: null,
  networks: null,
  countries: null,
}));

const gatewayWallets: ReadonlySet<DigitalWallet> = new Set(["google_pay"]);

/** An outcome that an acquirer returns, and whether the acquirer has approved the payment or will approve it later. */
type Response = { readonly outcome: AuthorizationOutcome; readonly approves: boolean };

const outcome = (value: object) => value as AuthorizationOutcome;
const response = fc.oneof(
  fc.constant({ outcome: outcome({ kind: "approved" }), approves: true }),
  {
    weight: 4,
    arbitrary: fc.constant({
      outcome: outcome({ kind: "declined", details: {} }),
      approves: false,
    }),
  },
  fc.record({
    outcome: fc.constantFrom(
      outcome({ kind: "unknown", why: "timeout", problem: "" }),
      outcome({ kind: "pending", acquirerReference: null }),
      outcome({ kind: "requires_action" }),
    ),
    approves: fc.boolean(),
  }),
  {
    weight: 4,
    arbitrary: fc.record({
      outcome: fc.constantFrom(
        outcome({ kind: "not_sent" }),
        ...[
          "credentials",
          "rate_limited",
          "amount_not_representable",
          "invalid_request",
          "card_data",
          "wallet_token",
        ].map((why) => outcome({ kind: "rejected", why, acquirerErrorCode: null })),
      ),
      approves: fc.constant(false),
    }),
  },
);

/** The states of the connections. They change between the attempts of a charge. */
const states = fc.array(
  fc.record({
    unavailable: fc.constantFrom<Candidate["unavailable"][]>(
      null,
      null,
      null,
      null,
      "suspended",
      "draining",
    ),
    isCircuitOpen: fc.constantFrom(true, false, false, false, false),
  }),
  { minLength: maxConnections, maxLength: maxConnections },
);

const mostly = fc.constantFrom(true, true, true, false);

const step = fc.record({
  states,
  response,
  tookMs: fc.oneof(fc.nat(2_000), fc.nat(10_000)),
  // False if another writer changes the charge before the charge is moved to the next assignment.
  isMoved: mostly,
  // True if the charge may be sent to another acquirer when this response is a decline.
  cascades: mostly,
});

type Step = {
  readonly states: readonly Pick<Candidate, "unavailable" | "isCircuitOpen">[];
  readonly response: Response;
  readonly tookMs: number;
  readonly isMoved: boolean;
  readonly cascades: boolean;
};

type Scenario = {
  /** The charge's ID, from which the route computes which weighted connection is first. */
  readonly charge: ChargeId;
  readonly connections: number;
  readonly steps: readonly Step[];
  readonly weights: readonly number[];
  /** The index of the assignment to which a wallet's token is bound. Null for a card. */
  readonly boundTo: number | null;
};

const scenario: fc.Arbitrary<Scenario> = fc.record({
  charge: fc.uuid({ version: 7 }).map((uuid) => idFromUuid("ch", uuid)),
  connections: fc.integer({ min: 1, max: maxConnections }),
  steps: fc.array(step, { minLength: maxConnections + 1, maxLength: maxConnections + 1 }),
  weights: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: maxConnections }),
  boundTo: fc.option(fc.nat(maxConnections - 1), { freq: 2 }),
});

type Sent = {
  readonly connection: ConnectionId;
  readonly at: number;
  readonly cascades: boolean;
} & Response;

async function play({ charge, connections, steps, weights, boundTo }: Scenario) {
  const bound = boundTo === null ? null : (assignments[boundTo] as (typeof assignments)[number]);
  const payment: RoutedPayment = {
    key: charge,
    price: { amountMinor: 4_200, currency: "eur" },
    card:
      bound === null
        ? { networks: { available: ["visa"], preferred: null }, country: null, funding: "debit" }
        : { ...gatewayCard("google_pay"), onlyAssignment: bound.id },
    metadata: {},
  };
  const targets = weights.map((weight, index) => ({
    assignment: (assignments[index] as { id: AssignmentId }).id,
    weight,
  }));
  const rules = compileRules({ ...noRules, rules: [{ name: "", condition: null, targets }] });
  const sent: Sent[] = [];
  let now = start.getTime();
  const stepOf = () => steps[sent.length] as Step;

  /** Returns the assignment that is first on the route, and checks that its connection takes new charges. */
  function choose(tried: readonly AssignmentId[]) {
    const candidates = assignments.slice(0, connections).map((assignment, index) => ({
      assignment,
      represents: () => true,
      acceptsNetworkTokens: true,
      gatewayWallets,
      ...(stepOf().states[index] as Step["states"][number]),
    }));
    const ids = tried.map((id) => assignments.find((one) => one.id === id)?.connection);
    const { order } = route(candidates, rules, payment, new Set(ids as ConnectionId[]));
    const first = order[0]?.assignment;
    const chosen = candidates.find(({ assignment }) => assignment.id === first);
    assert.equal(chosen?.unavailable ?? null, null, "the connection takes no new charges");
    return chosen ? { assignmentId: chosen.assignment.id } : null;
  }

  const first = choose([]);
  if (!first) return { sent, bound, result: null };
  const result = await authorizeInTurn(
    {
      now: () => new Date(now),
      async send({ assignmentId }, sentCharge) {
        assert.equal(sentCharge.assignmentId, assignmentId, "the charge names another acquirer");
        const { response: received, tookMs, cascades } = stepOf();
        const { connection } = assignments.find(({ id }) => id === assignmentId) as {
          connection: ConnectionId;
        };
        sent.push({ ...received, connection, at: now, cascades });
        now += tookMs;
        return received.outcome;
      },
      mayCascade: () => sent.at(-1)?.cascades ?? false,
      next: (_charge, tried) => choose(tried),
      move: async (_charge, next) => (stepOf().isMoved ? next : null),
    },
    first,
    first,
  );
  return { sent, bound, result };
}

const runs = { numRuns: dose("charges", { short: 600, long: 30_000 }) };
const property = (check: (played: Awaited<ReturnType<typeof play>>) => void) =>
  fc.assert(
    fc.asyncProperty(scenario, async (one) => check(await play(one))),
    runs,
  );

test("at most one acquirer approves a charge, whatever they return and whenever they approve", () =>
  property(({ sent }) => {
    assert.ok(sent.filter(({ approves }) => approves).length <= 1);
  }));

test("a second acquirer is tried only after an outcome that proves that the first has not approved the charge", () =>
  property(({ sent }) => {
    for (const { outcome: before, cascades } of sent.slice(0, -1)) {
      const isDecline = before.kind === "declined" && cascades;
      assert.ok(isDecline || before.kind === "not_sent" || before.kind === "rejected", before.kind);
    }
  }));

test("a wallet's token is sent once, and only over its own connection", () =>
  property(({ sent, bound }) => {
    if (bound === null) return;
    assert.ok(sent.length <= 1);
    assert.ok(sent.every(({ connection }) => connection === bound.connection));
  }));

test("a charge is declined at most twice", () =>
  property(({ sent }) => {
    assert.ok(sent.filter(({ outcome: { kind } }) => kind === "declined").length <= 2);
  }));

test("no connection is tried twice, and no attempt starts more than 6 seconds after the first", () =>
  property(({ sent }) => {
    assert.equal(new Set(sent.map(({ connection }) => connection)).size, sent.length);
    const began = sent[0]?.at ?? 0;
    assert.ok(sent.every(({ at }) => at - began <= 6_000));
  }));

test("the charge names the acquirer of its last attempt, and has that outcome or an earlier decline", () =>
  property(({ sent, result }) => {
    const last = sent.at(-1);
    const of = assignments.find(({ id }) => id === result?.charge.assignmentId);
    assert.equal(of?.connection, last?.connection);
    const notProcessed = ["not_sent", "rejected"].includes(last?.outcome.kind ?? "");
    const wasDeclined = sent.some(({ outcome: { kind } }) => kind === "declined");
    const kept = notProcessed && wasDeclined ? "declined" : last?.outcome.kind;
    assert.equal(result?.outcome.kind, kept);
  }));

test("some charges fail over, and some are paid at a second acquirer", async () => {
  const played = await Promise.all(fc.sample(scenario, { numRuns: 2_000, seed: 1 }).map(play));
  assert.ok(played.some(({ sent, bound }) => bound !== null && sent.length === 1));
  assert.ok(played.some(({ sent }) => sent.length > 2));
  assert.ok(played.some(({ sent }) => sent.length > 1 && sent.at(-1)?.approves));
});
