import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { createTestDatabase } from "../../../test/database.ts";
import type { ARes, RReq } from "../../acquiring/three-d-secure/message.ts";
import { newId } from "../../core/ids.ts";
import { connectDatabase } from "../../platform/database/database.ts";
import { advance, find } from "./advance-authentication.ts";
import { insertAuthentication } from "./authentication.sql.ts";
import {
  type Authentication,
  type AuthenticationEvent,
  type AuthenticationState,
  startAuthentication,
  step,
  transitions,
} from "./authentication.ts";
import { deadlineOf, defaultAuthenticationTiming as timing } from "./deadlines.ts";

const now = new Date("2026-05-15T12:00:00Z");
const scope = { account: newId("acct", now), livemode: false } as const;
const cryptogram = "AAECAwQFBgcICQoLDA0ODxAREhM=";
const dsTransID = "0b7c1f56-5c1a-4f0e-9a69-0f3d5f4b8a11";
const acsTransID = "7f1f2d0a-3a0e-4d7b-8d1a-55a0e4d0c622";

function begin(): Authentication {
  const base = { scope, attemptId: newId("ch", now), brand: "visa" } as const;
  return startAuthentication(base, { version: "2.2.0", methodUrl: "https://bank.example/m" });
}

function ares(transStatus: ARes["transStatus"], more: Partial<ARes> = {}): AuthenticationEvent {
  const message: ARes = {
    messageType: "ARes",
    messageVersion: "2.2.0",
    threeDSServerTransID: dsTransID,
    dsTransID,
    acsTransID,
    acsReferenceNumber: "a",
    dsReferenceNumber: "d",
    transStatus,
    ...(transStatus === "C" && { acsURL: "https://bank.example/c" }),
    ...((transStatus === "Y" || transStatus === "A") && { authenticationValue: cryptogram }),
    ...more,
  };
  return { kind: "responded", ares: message };
}

function rreq(transStatus: RReq["transStatus"], more: Partial<RReq> = {}): AuthenticationEvent {
  const message: RReq = {
    messageType: "RReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    threeDSServerTransID: dsTransID,
    dsTransID,
    acsTransID,
    transStatus,
    ...((transStatus === "Y" || transStatus === "A") && { authenticationValue: cryptogram }),
    ...more,
  };
  return { kind: "result", rreq: message };
}

/** The `transStatus` values of an unsuccessful authentication. */
const withoutSuccess = ["N", "U", "R", "I"] as const;

const anyEvent: fc.Arbitrary<AuthenticationEvent> = fc.constantFrom<AuthenticationEvent[]>(
  { kind: "method_completed" },
  { kind: "requested" },
  { kind: "ares_missing" },
  { kind: "challenge_given" },
  { kind: "response_seen" },
  { kind: "canceled" },
  { kind: "deadline_passed" },
  { kind: "handed_over" },
  ...(["Y", "N", "U", "A", "C", "R", "I"] as const).map((transStatus) => ares(transStatus)),
  ...withoutSuccess.map((transStatus) => ares(transStatus, { authenticationValue: cryptogram })),
  ares("C", { cardholderInfo: "Call us." }),
  ...(["Y", "N", "U", "A", "R"] as const).map((transStatus) => rreq(transStatus)),
  ...(["01", "04", "05", "06", "07"] as const).map((cancel) =>
    rreq("N", { challengeCancel: cancel }),
  ),
  rreq("Y", { authenticationValue: undefined as never }),
);

/** Events in any order, often preceded by the events that lead to the challenge page. */
const anyEvents: fc.Arbitrary<AuthenticationEvent[]> = fc
  .tuple(fc.nat(3), fc.array(anyEvent, { maxLength: 10 }))
  .map(([far, events]) => [...toTheBank.slice(0, far), ...events]);

const toTheBank: AuthenticationEvent[] = [
  { kind: "requested" },
  ares("C"),
  { kind: "challenge_given" },
];

/** Returns the authentication after these events. */
function walk(...events: AuthenticationEvent[]): Authentication {
  return events.reduce((current, event) => step(current, event) ?? current, begin());
}

function resultOf(current: Authentication): string {
  return current.state === "ended" ? current.outcome.result : current.state;
}

test("the issuer's message has no characters that change the text after it", () => {
  const message = "Pay \u202e00.1$\u2028now";
  const current = walk({ kind: "requested" }, ares("N", { cardholderInfo: message }));
  assert.equal(current.cardholderInfo, "Pay 00.1$ now");
});

test("any order of events follows the transition table, and a final state is never left", () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      let current = begin();
      for (const event of events) {
        const next = step(current, event);
        if (!next) continue;
        assert.ok(transitions[current.state][event.kind]?.includes(next.state));
        assert.equal(next.revision, current.revision + 1);
        if (current.state === "ended" && next.state === "ended") {
          assert.equal(next.outcome.result, current.outcome.result);
          assert.equal(next.outcome.authenticationValue, null);
        }
        current = next;
      }
    }),
  );
});

test("a CRes never ends an authentication: only the RReq, the customer or a deadline does", () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const before = walk(...events);
      const after = step(before, { kind: "response_seen" });
      if (after) assert.deepEqual([before.state, after.state], ["challenging", "challenging"]);
    }),
  );
});

test("a failed authentication with a cryptogram remains failed", () => {
  for (const transStatus of withoutSuccess) {
    const plain = walk({ kind: "requested" }, ares(transStatus));
    const decorated = walk(
      { kind: "requested" },
      ares(transStatus, { authenticationValue: cryptogram }),
    );
    assert.deepEqual({ ...decorated, attemptId: plain.attemptId }, plain);
  }
});

test("every state that is not final has a deadline, which ends it", () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const current = walk(...events);
      const due = deadlineOf(current, now, timing);
      if (current.state === "ended") {
        assert.equal(due === null, current.handedOver);
        return;
      }
      assert.ok(due && due > now);
      assert.equal(step(current, { kind: "deadline_passed" })?.state, "ended");
    }),
  );
});

for (const [what, events, result] of [
  ["Y", [{ kind: "requested" }, ares("Y")], "authenticated"],
  ["A", [{ kind: "requested" }, ares("A")], "attempted"],
  ["N", [{ kind: "requested" }, ares("N")], "failed"],
  ["R", [{ kind: "requested" }, ares("R")], "rejected"],
  ["U", [{ kind: "requested" }, ares("U")], "unavailable"],
  ["I", [{ kind: "requested" }, ares("I")], "informational"],
  ["missing", [{ kind: "requested" }, { kind: "ares_missing" }], "unavailable"],
  ["C without acsURL", [{ kind: "requested" }, ares("C", { acsURL: "" })], "unavailable"],
] as const) {
  test(`ARes ${what}: ${result}`, () => assert.equal(resultOf(walk(...events)), result));
}

for (const [what, event, result] of [
  ["Y", rreq("Y"), "authenticated"],
  ["A", rreq("A"), "attempted"],
  ["N", rreq("N"), "failed"],
  ["R", rreq("R"), "rejected"],
  ["U", rreq("U"), "unavailable"],
  [
    "Y without authenticationValue",
    rreq("Y", { authenticationValue: undefined as never }),
    "unavailable",
  ],
  ["N, the cardholder canceled", rreq("N", { challengeCancel: "01" }), "canceled"],
  ["N, timeout at the ACS", rreq("N", { challengeCancel: "04" }), "timed_out"],
  ["N, no CReq received", rreq("N", { challengeCancel: "05" }), "timed_out"],
  ["N, an error", rreq("N", { challengeCancel: "06" }), "failed"],
] as const) {
  test(`RReq ${what}: ${result}, before and after the CReq, with a CRes or without`, () => {
    const challenged: AuthenticationEvent[] = [{ kind: "requested" }, ares("C")];
    assert.equal(resultOf(walk(...challenged, event)), result);
    assert.equal(resultOf(walk(...challenged, { kind: "challenge_given" }, event)), result);
    const seen: AuthenticationEvent[] = [{ kind: "challenge_given" }, { kind: "response_seen" }];
    assert.equal(resultOf(walk(...challenged, ...seen, event)), result);
  });
}

test("Postgres accepts every sequence of transitions, and reads back what was written", async (t) => {
  const testDatabase = await createTestDatabase();
  const database = connectDatabase({ url: testDatabase.url, poolSize: 2, onIdleError: () => {} });
  after(async () => {
    await database.close();
    await testDatabase.drop();
  });
  const deps = { database, clock: { now: () => now }, timing };
  const seen = new Set<AuthenticationState>();
  await fc.assert(
    fc.asyncProperty(anyEvents, async (events) => {
      let current = begin();
      const dueAt = deadlineOf(current, now, timing);
      await database.transaction((tx) => insertAuthentication(tx, current, dueAt));
      for (const event of events) {
        const expected = step(current, event) ?? current;
        current = (await advance(deps, current, event)).authentication;
        assert.deepEqual(current, expected);
        assert.deepEqual(await find(deps, scope, current.attemptId), current);
        seen.add(current.state);
      }
    }),
    { numRuns: 150 },
  );
  t.diagnostic(`states reached: ${[...seen].join(", ")}`);
  assert.equal(seen.size, 5);
});

test("concurrent events are applied one at a time, each to the state after the previous event", async () => {
  const testDatabase = await createTestDatabase();
  const database = connectDatabase({ url: testDatabase.url, poolSize: 8, onIdleError: () => {} });
  const deps = { database, clock: { now: () => now }, timing };
  const started = begin();
  await database.transaction((tx) => insertAuthentication(tx, started, now));
  const requests = await Promise.all(
    Array.from({ length: 8 }, () => advance(deps, started, { kind: "requested" })),
  );
  assert.equal(requests.filter(({ changed }) => changed).length, 1);
  const requested = (await find(deps, scope, started.attemptId)) as Authentication;
  // The deadline of an earlier state has no effect on a later state.
  await advance(deps, requested, ares("C"));
  const late = await advance(deps, requested, { kind: "deadline_passed" });
  assert.deepEqual([late.changed, late.authentication.state], [false, "challenged"]);
  await database.close();
  await testDatabase.drop();
});

test("every reload restarts the deadline of the challenge step, up to a total limit", () => {
  const challenged = [{ kind: "requested" } as const, ares("C")].reduce<Authentication>(
    (current, event) => step(current, event) ?? current,
    begin(),
  );
  const given = step(challenged, { kind: "challenge_given" });
  assert.ok(given);
  const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  assert.deepEqual(deadlineOf(given, after(20), timing), after(30.5));
  assert.deepEqual(deadlineOf(given, after(40), timing), after(45));
});
