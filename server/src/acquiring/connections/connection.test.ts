import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionStateNames } from "@florin/contract/operator-connections.ts";
import { ApiError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import {
  activate,
  type Connection,
  type ConnectionUse,
  drain,
  isFirstNotification,
  resume,
  retire,
  servesExistingCharges,
  suspend,
  whyUnavailable,
  withNewSecrets,
  withNotification,
  withSettings,
  withTestResult,
} from "./connection.ts";

const now = new Date("2026-03-01T12:00:00Z");
const tomorrow = new Date("2026-03-02T12:00:00Z");

const draft: Connection = {
  id: newId("con", now),
  processor: "adyen",
  name: "Adyen Europe",
  environment: "live",
  state: "draft",
  endpointKey: "k".repeat(32),
  settings: { merchantAccount: "FieldwareECOM", livePrefix: "1797a841fbb37ca7-Fieldware" },
  publicKey: null,
  requestsPerSecond: null,
  secrets: { version: 0, configuredAt: null, previousUntil: null },
  test: { passedAt: null, secretsVersion: null, problem: null },
  notification: null,
  certification: null,
  version: 1,
};

const withSecrets = (connection: Connection, testedAt: Date | null = null) =>
  withNewSecrets(connection, { previousUntil: tomorrow, testedAt, now });
const passed = { kind: "passed" } as const;
const failed = { kind: "failed", problem: "The API key is invalid." } as const;

const tested = withTestResult(withSecrets(draft), passed, now);
const active = activate(withNotification(tested, now), "live");
const suspended = suspend(active, "Fraud at the acquirer.");
const draining = drain(active);

function rejectedWith(code: string, message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  };
}

const unused: ConnectionUse = {
  activeAssignments: 0,
  unfinishedPayments: 0,
  openDisputes: 0,
  pendingNotifications: 0,
  unsettledPayments: 0,
};

test("a connection is activated after a test with its secrets and a notification", () => {
  assert.equal(tested.state, "tested");
  assert.equal(active.state, "active");
  assert.throws(
    () => activate(tested, "live"),
    rejectedWith("connection_not_ready", /No notification has arrived/),
  );
});

test("new secrets need another test and another notification before the activation", () => {
  const ready = withNotification(tested, now);
  const changed = withSecrets(ready);
  assert.equal(changed.state, "draft");
  assert.throws(
    () => activate(changed, "live"),
    rejectedWith("status_transition_invalid", /draft/),
  );
  const testedAgain = withTestResult(changed, passed, now);
  assert.ok(isFirstNotification(testedAgain));
  assert.throws(
    () => activate(testedAgain, "live"),
    rejectedWith("connection_not_ready", /current secrets/),
  );
  assert.equal(activate(withNotification(testedAgain, now), "live").state, "active");
});

test("changed settings need another test, and cannot change while charges refer to them", () => {
  const settings = { merchantAccount: "AnotherECOM", livePrefix: "1797a841fbb37ca7-Fieldware" };
  assert.equal(withSettings(tested, settings).state, "draft");
  for (const connection of [active, suspended, draining]) {
    assert.throws(
      () => withSettings(connection, settings),
      rejectedWith("status_transition_invalid", /'draft' or 'tested' to have its settings changed/),
    );
  }
});

test("a failed test returns a tested connection to draft and does not stop an active one", () => {
  const back = withTestResult(tested, failed, now);
  assert.equal(back.state, "draft");
  assert.equal(back.test.problem, failed.problem);
  const running = withTestResult(active, failed, now);
  assert.equal(running.state, "active");
  assert.equal(running.test.problem, failed.problem);
});

test("a connection is activated only in the environment of the instance", () => {
  const ready = withNotification(tested, now);
  assert.throws(
    () => activate(ready, "sandbox"),
    rejectedWith("connection_environment_mismatch", /FLORIN_ACQUIRERS=sandbox/),
  );
  const sandbox: Connection = { ...ready, environment: "sandbox" };
  assert.equal(activate(sandbox, "sandbox").state, "active");
  assert.throws(
    () => activate(sandbox, "live"),
    rejectedWith("connection_environment_mismatch", /FLORIN_ACQUIRERS=sandbox/),
  );
});

test("a suspended or draining connection accepts no new charges and serves existing ones", () => {
  const states = [draft, tested, active, suspended, draining, retire(draining, unused)];
  assert.deepEqual(
    states.map((connection) => [
      connection.state,
      whyUnavailable(connection, "live"),
      servesExistingCharges(connection),
    ]),
    [
      ["draft", "not_active", false],
      ["tested", "not_active", false],
      ["active", null, true],
      ["suspended", "suspended", true],
      ["draining", "draining", true],
      ["retired", "not_active", false],
    ],
  );
});

test("a suspended connection is resumed only with tested secrets, and loses its suspension reason", () => {
  const rotated = withNewSecrets(suspended, { previousUntil: tomorrow, testedAt: null, now });
  assert.throws(
    () => resume(rotated, "live"),
    rejectedWith("connection_not_ready", /No test has passed/),
  );
  const resumed = resume(withTestResult(rotated, passed, now), "live");
  assert.equal(resumed.state, "active");
  assert.ok(!("suspendedReason" in resumed));
});

test("the previous secrets stay valid after a rotation, but not those from before the activation", () => {
  assert.equal(withSecrets(draft).secrets.previousUntil, null);
  assert.equal(withSecrets(tested).secrets.previousUntil, null);
  const rotated = withSecrets(active, now);
  assert.deepEqual(rotated.secrets, { version: 2, configuredAt: now, previousUntil: tomorrow });
  assert.equal(rotated.state, "active");
  assert.equal(rotated.test.secretsVersion, 2);
});

test("an active connection and a connection with active assignments cannot be retired", () => {
  assert.throws(
    () => retire(active, unused),
    rejectedWith("status_transition_invalid", /'active'/),
  );
  assert.throws(
    () => retire(draining, { ...unused, activeAssignments: 2 }),
    rejectedWith("status_transition_invalid", /still has active assignments \(2\)/),
  );
  assert.throws(
    () => retire(draining, { ...unused, unfinishedPayments: 3 }),
    rejectedWith("status_transition_invalid", /without an outcome \(3\)/),
  );
  assert.equal(retire(draft, unused).state, "retired");
});

test("a connection with many unsettled payments is not retired, and the message contains no exact number", () => {
  for (const [unsettledPayments, text] of [
    [1_000, /\(1000\)/],
    [1_001, /\(more than 1,000\)/],
  ] as const) {
    assert.throws(
      () => retire(draining, { ...unused, unsettledPayments }),
      rejectedWith("status_transition_invalid", text),
    );
  }
});

test("every operation rejects the states that it does not allow", () => {
  const everyState: Readonly<Record<string, Connection>> = {
    draft,
    tested,
    active,
    suspended,
    draining,
    retired: retire(draining, unused),
  };
  assert.deepEqual(Object.keys(everyState), [...connectionStateNames]);
  const operations: Readonly<Record<string, (connection: Connection) => Connection>> = {
    activate: (connection) => activate(withNotification(connection, now), "live"),
    suspend: (connection) => suspend(connection, "A reason."),
    resume: (connection) => resume(connection, "live"),
    drain,
    retire: (connection) => retire(connection, unused),
    "store secrets": (connection) => withSecrets(connection),
    test: (connection) => withTestResult(connection, passed, now),
  };
  const allowed = Object.fromEntries(
    Object.entries(operations).map(([name, operate]) => [
      name,
      connectionStateNames.filter((state) => {
        try {
          operate(everyState[state] as Connection);
          return true;
        } catch (error) {
          assert.ok(error instanceof ApiError && error.code === "status_transition_invalid");
          return false;
        }
      }),
    ]),
  );
  assert.deepEqual(allowed, {
    activate: ["tested"],
    suspend: ["active"],
    resume: ["suspended"],
    drain: ["active", "suspended"],
    retire: ["draft", "tested", "draining"],
    "store secrets": ["draft", "tested", "active", "suspended", "draining"],
    test: ["draft", "tested", "active", "suspended", "draining"],
  });
});
