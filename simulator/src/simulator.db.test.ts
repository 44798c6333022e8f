import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { DeclineCode } from "@florin/contract/declines.ts";
import { testCards } from "@florin/contract/test-cards.ts";
import { type AuthorizationOutcome, noDetails } from "@florin/server/acquiring/outcome.ts";
import type { AuthorizeRequest, ChargeNotification } from "@florin/server/acquiring/processor.ts";
import { newId, uuidOf } from "@florin/server/core/ids.ts";
import { connectDatabase } from "@florin/server/platform/database/database.ts";
import { createTestDatabase } from "@florin/server/test/database.ts";
import { CardNumber, SecurityCode } from "@florin/server/vault/card-number.ts";
import { issuerRequiresAuthentication } from "./issuer-policy.ts";
import { createSimulator, defaultTiming } from "./simulator.ts";
import { cryptogramOf } from "./three-d-secure/cryptogram.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 8, onIdleError: () => {} });
const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead) };
const account = newId("acct", clock.now());
const notifications: ChargeNotification[] = [];
const createTestSimulator = () =>
  createSimulator({
    database,
    clock,
    timing: { ...defaultTiming, responseTimeoutMs: 1500, slowResponseMs: 150, resolveAfterMs: 500 },
    onNotification: (notification) => {
      notifications.push(notification);
      throw new Error("the service fails, and the acquirer ignores it");
    },
  });
const simulator = createTestSimulator();
const otherSimulator = createTestSimulator();
after(async () => {
  await Promise.all([simulator.close(), otherSimulator.close()]);
  await database.close();
  await testDatabase.drop();
});

type Options = { amountMinor?: number; card?: string; given?: Partial<AuthorizeRequest["card"]> };

function request(options: Options = {}, more: Partial<AuthorizeRequest> = {}): AuthorizeRequest {
  return {
    account,
    reference: newId("ch", clock.now()),
    price: { amountMinor: options.amountMinor ?? 1999, currency: "usd" },
    card: {
      number: new CardNumber(options.card ?? "4242424242424242"),
      expMonth: 12,
      expYear: clock.now().getUTCFullYear() + 3,
      securityCode: new SecurityCode("123"),
      postalCode: null,
      addressLine1: null,
      ...options.given,
    },
    capture: true,
    authentication: null,
    ...more,
  };
}

const trigger = (digits: number): AuthorizeRequest => request({ amountMinor: 9_000_000 + digits });

const dsTransactionId = "8a9d6b2e-2f3b-4b5e-9c4d-0d5a3f1c7e11";

/** An authentication that the simulated issuer returned. */
const issuerAuthentication: NonNullable<AuthorizeRequest["authentication"]> = {
  version: "2.2.0",
  transStatus: "Y",
  eci: "05",
  authenticationValue: cryptogramOf(dsTransactionId),
  dsTransactionId,
};

/** Describes a response in a short string. */
function brief(response: AuthorizationOutcome | { kind: "not_found" | "reversed" }): string {
  if (response.kind === "declined") return `declined ${response.code}`;
  if (response.kind === "approved") return `approved ${response.approvedMinor}`;
  return response.kind === "unknown" ? `unknown ${response.why}` : response.kind;
}

const notificationsFor = ({ reference }: AuthorizeRequest): string[] =>
  notifications
    .filter((notification) => notification.reference === reference)
    .map(({ response }) => brief(response));

/** Waits until this number of notifications has arrived. If one is missing, the test times out. */
async function waitForNotifications(charge: AuthorizeRequest, times: number): Promise<void> {
  while (notificationsFor(charge).length < times) await sleep(5);
}

async function linesOf({ reference }: AuthorizeRequest): Promise<string[]> {
  const rows = await database.read<{ state: string; approved: number }>`
    select state, approved from simulator.authorizations where reference = ${uuidOf(reference)}`;
  return rows.map(({ state, approved }) => `${state} ${approved}`);
}

test("a plain charge is approved in full and recorded in the simulator ledger", async () => {
  const charge = request();
  assert.deepEqual(await simulator.authorize(charge), {
    kind: "approved",
    approvedMinor: 1999,
    details: {
      ...noDetails,
      checks: { cvcCheck: "pass", addressLine1Check: null, addressPostalCodeCheck: null },
      networkTransactionId: `SIM-${uuidOf(charge.reference).slice(-12)}`,
    },
  });
  assert.deepEqual(await linesOf(charge), ["approved 1999"]);
});

test("a repeated request returns an identical response, even in another process", async () => {
  for (const charge of [
    request(),
    request({ card: "4000000000009995" }),
    request({
      card: "4000000000000010",
      given: { postalCode: "94103", addressLine1: "1 Main St" },
    }),
    trigger(6002),
  ]) {
    const first = await simulator.authorize(charge);
    assert.deepEqual(await simulator.authorize(charge), first);
    assert.deepEqual(await otherSimulator.authorize(charge), first);
    assert.deepEqual(await otherSimulator.inquire(charge), first);
  }
});

test("200 requests with one reference to two processes are approved once and return the same response", async () => {
  const charge = request();
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      (index % 2 ? simulator : otherSimulator).authorize(charge),
    ),
  );
  assert.deepEqual(new Set(responses.map(brief)), new Set(["approved 1999"]));
  assert.deepEqual(await linesOf(charge), ["approved 1999"]);
});

test("overlapping batches of references in two processes do not deadlock", async () => {
  const requests = Array.from({ length: 300 }, () => request());
  const responses = await Promise.all([
    ...requests.map((charge) => simulator.authorize(charge)),
    ...requests.toReversed().map((charge) => otherSimulator.authorize(charge)),
  ]);
  assert.deepEqual(new Set(responses.map(brief)), new Set(["approved 1999"]));
});

test("the same reference from another merchant is a separate charge", async () => {
  const charge = request();
  const other = { ...charge, account: newId("acct", clock.now()) };
  await Promise.all([simulator.authorize(charge), simulator.authorize(other)]);
  assert.deepEqual(await linesOf(charge), ["approved 1999", "approved 1999"]);
  await simulator.reverse(other);
  assert.equal(brief(await simulator.inquire(charge)), "approved 1999");
});

for (const card of testCards) {
  const insists = card.threeDSecure !== null && issuerRequiresAuthentication(card.threeDSecure);
  test(`${card.number}: ${card.description}`, async () => {
    const authenticated = await simulator.authorize(
      request({ card: card.number }, { authentication: issuerAuthentication }),
    );
    const expected = card.declineCode ? `declined ${card.declineCode}` : "approved 1999";
    assert.equal(brief(authenticated), expected);
    const alone = await simulator.authorize(request({ card: card.number }));
    if (card.declineCode === "processing_error") assert.equal(brief(alone), expected);
    else assert.equal(brief(alone), insists ? "declined authentication_required" : expected);
  });
}

test("only provided values are checked: a missing CVC or address has no result", async () => {
  const address = { postalCode: "94103", addressLine1: "1 Main St" };
  const checks = async (card: string, given: Options["given"]) => {
    const response = await simulator.authorize(request({ card, given: { ...given } }));
    assert.ok(response.kind === "approved");
    const { cvcCheck, addressLine1Check, addressPostalCodeCheck } = response.details.checks;
    return [cvcCheck, addressLine1Check, addressPostalCodeCheck];
  };
  assert.deepEqual(await checks("4000000000000101", {}), ["fail", null, null]);
  assert.deepEqual(await checks("4000000000000101", { securityCode: null }), [null, null, null]);
  assert.deepEqual(await checks("4000000000000036", address), ["pass", "pass", "fail"]);
  assert.deepEqual(await checks("4000000000000028", address), ["pass", "fail", "pass"]);
  assert.deepEqual(await checks("4000000000000010", address), ["pass", "fail", "fail"]);
  assert.deepEqual(await checks("4000000000000044", address), [
    "pass",
    "unavailable",
    "unavailable",
  ]);
  assert.deepEqual(await checks("4000000000000044", {}), ["pass", null, null]);
});

test("a decline carries the network's code, and expired and unknown cards are declined", async () => {
  const response = await simulator.authorize(request({ card: "4000000000009995" }));
  assert.ok(response.kind === "declined");
  assert.equal(response.networkDeclineCode, "51");
  const expired = request({ given: { expYear: 2020 } });
  assert.equal(brief(await simulator.authorize(expired)), "declined expired_card");
  const real = request({ card: "4539578763621486" });
  assert.equal(brief(await simulator.authorize(real)), "declined testmode_decline");
});

const declining: [number, DeclineCode][] = [
  [2001, "do_not_honor"],
  [2051, "insufficient_funds"],
  [2054, "expired_card"],
  [2041, "lost_card"],
  [2043, "stolen_card"],
  [2059, "fraudulent"],
  [2061, "card_velocity_exceeded"],
  [2065, "authentication_required"],
  [2091, "issuer_not_available"],
  [2096, "processing_error"],
];
for (const [digits, declineCode] of declining) {
  test(`an amount that ends in ${digits} is declined with ${declineCode}`, async () => {
    assert.equal(brief(await simulator.authorize(trigger(digits))), `declined ${declineCode}`);
  });
}

test("4001: the acquirer times out and the money moved, which a status inquiry finds", async () => {
  const charge = trigger(4001);
  const started = performance.now();
  assert.equal(brief(await simulator.authorize(charge)), "unknown timeout");
  assert.ok(performance.now() - started >= 1490, "the response arrived before the deadline");
  assert.equal(brief(await otherSimulator.inquire(charge)), "approved 9004001");
  // The trigger affects only the first response. A repeated request returns the stored outcome.
  assert.equal(brief(await simulator.authorize(charge)), "approved 9004001");
});

test("4002: the acquirer times out and no money moved", async () => {
  const charge = trigger(4002);
  assert.equal(brief(await simulator.authorize(charge)), "unknown timeout");
  assert.equal(brief(await simulator.inquire(charge)), "not_found");
  assert.deepEqual(await linesOf(charge), []);
});

test("4003: the acquirer's response is unreadable and no money moved", async () => {
  const charge = trigger(4003);
  assert.equal(brief(await simulator.authorize(charge)), "unknown invalid_response");
  assert.equal(brief(await simulator.inquire(charge)), "not_found");
});

test("4004: the acquirer responds late but before the deadline", async () => {
  const started = performance.now();
  assert.equal(brief(await simulator.authorize(trigger(4004))), "approved 9004004");
  assert.ok(performance.now() - started >= 145);
});

test("4005 and 4006: a pending charge gets its outcome after the delay, with a notification", async () => {
  const [approves, declines] = [trigger(4005), trigger(4006)];
  assert.equal(brief(await simulator.authorize(approves)), "pending");
  assert.equal(brief(await simulator.authorize(declines)), "pending");
  assert.equal(brief(await otherSimulator.inquire(approves)), "pending");
  assert.deepEqual(notificationsFor(approves), []);
  await waitForNotifications(approves, 1);
  await waitForNotifications(declines, 1);
  assert.deepEqual(notificationsFor(approves), ["approved 9004005"]);
  assert.deepEqual(notificationsFor(declines), ["declined generic_decline"]);
  assert.deepEqual(await linesOf(approves), ["approved 9004005"]);
  assert.deepEqual(await linesOf(declines), ["declined 0"]);
});

test("a pending charge reaches its outcome on time after its process has exited, even if requested again", async () => {
  const charge = trigger(4005);
  const exiting = createTestSimulator();
  assert.equal(brief(await exiting.authorize(charge)), "pending");
  await exiting.close();
  clock.ahead = 60_000;
  assert.equal(brief(await otherSimulator.authorize(charge)), "approved 9004005");
  clock.ahead = 0;
  assert.deepEqual(notificationsFor(charge), []);
});

test("5001, 5002, 5003: the notification arrives twice, out of order, and before the response", async () => {
  const twice = trigger(5001);
  assert.equal(brief(await simulator.authorize(twice)), "approved 9005001");
  const disordered = trigger(5002);
  assert.equal(brief(await simulator.authorize(disordered)), "approved 9005002");
  const early = trigger(5003);
  const response = simulator.authorize(early).then((received) => {
    assert.deepEqual(notificationsFor(early), ["approved 9005003"]);
    return received;
  });
  assert.equal(brief(await response), "approved 9005003");
  await waitForNotifications(twice, 2);
  await waitForNotifications(disordered, 2);
  assert.deepEqual(notificationsFor(twice), ["approved 9005001", "approved 9005001"]);
  assert.deepEqual(notificationsFor(disordered), ["approved 9005002", "pending"]);
});

test("6001 approves, and 6002 approves half, rounded down", async () => {
  assert.equal(brief(await simulator.authorize(trigger(6001))), "approved 9006001");
  assert.equal(brief(await simulator.authorize(trigger(6002))), "approved 4503001");
});

test("a reversal is final: an approved, pending or unknown reference is declined afterwards", async () => {
  for (const charge of [request(), trigger(4005)]) {
    await simulator.authorize(charge);
    assert.deepEqual(await otherSimulator.reverse(charge), { kind: "reversed" });
    assert.equal(brief(await simulator.authorize(charge)), "declined generic_decline");
    assert.equal(brief(await simulator.inquire(charge)), "declined generic_decline");
  }
  const late = request();
  assert.deepEqual(await simulator.reverse(late), { kind: "reversed" });
  assert.equal(brief(await otherSimulator.authorize(late)), "declined generic_decline");
  assert.deepEqual(await linesOf(late), ["reversed 0"]);
  assert.deepEqual(await simulator.reverse(late), { kind: "reversed" });
});

test("reversing a decline keeps the decline and its reason", async () => {
  const charge = request({ card: "4000000000009995" });
  await simulator.authorize(charge);
  assert.deepEqual(await simulator.reverse(charge), { kind: "reversed" });
  assert.equal(brief(await simulator.inquire(charge)), "declined insufficient_funds");
});

test("a race of authorization and reversal leaves no approval after an acknowledged reversal", async () => {
  const outcomes = new Map<string, number>();
  for (let round = 0; round < 300; round++) {
    const charge = request(round % 3 === 0 ? { amountMinor: 9_004_005 } : {});
    const authorizing = simulator.authorize(charge);
    // Delays one of the two requests in half of the rounds, so that each of them is first in some rounds.
    if (round % 2) await sleep(round % 5);
    const reversing = otherSimulator.reverse(charge).then(async (response) => {
      assert.equal(response.kind, "reversed");
      // After the response, every request finds the reversal.
      assert.equal((await linesOf(charge))[0]?.split(" ")[0], "reversed");
      assert.equal(brief(await simulator.authorize(charge)), "declined generic_decline");
    });
    const [response] = await Promise.all([authorizing, reversing]);
    assert.equal((await linesOf(charge))[0]?.split(" ")[0], "reversed");
    outcomes.set(response.kind, (outcomes.get(response.kind) ?? 0) + 1);
  }
  assert.ok((outcomes.get("approved") ?? 0) > 0, "no authorization preceded its reversal");
  assert.ok((outcomes.get("declined") ?? 0) > 0, "no reversal preceded its authorization");
});
