import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertTransition } from "@florin/server/core/transitions.ts";
import {
  applyOperationResponse,
  type Operation,
} from "@florin/server/payments/operations/operation.ts";
import { applyPayoutResponse, type Payout } from "@florin/server/payments/payouts/payout.ts";
import { readMigrations } from "@florin/server/platform/database/migrate.ts";
import { statefulObjects, statesPage, statesPagePath } from "./states-page.ts";

test("the page of states matches the transition tables", () => {
  assert.equal(
    readFileSync(statesPagePath, "utf8"),
    statesPage(),
    "Run: node_modules/.bin/node tools/states-page.ts",
  );
});

test("the CHECK of each column lists exactly the states of its table", async () => {
  const schema = (await readMigrations()).map(({ sql }) => sql).join("\n");
  for (const { name, transitions, storedIn: stored } of statefulObjects) {
    if (!stored) continue;
    const start = schema.indexOf(`create table ${stored.table} (`);
    const table = schema.slice(start, schema.indexOf("\n);", start));
    const type = new RegExp(`\\n  ${stored.column}\\s+(\\w+)`).exec(table)?.[1];
    const domain = new RegExp(`create domain ${type} as text[^;]*`).exec(schema)?.[0];
    const rule = domain ? "value" : stored.column;
    const listed =
      new RegExp(`check \\(${rule} in\\s+\\(([^)]*)\\)`).exec(domain ?? table)?.[1] ?? "";
    const states = [...listed.matchAll(/'(\w+)'/g)].map(([, state]) => state);
    assert.deepEqual(states.sort(), Object.keys(transitions).sort(), name);
  }
});

test("transitions outside the table are rejected, and staying in a state is allowed", () => {
  for (const { name, transitions } of statefulObjects) {
    const states = Object.keys(transitions);
    for (const from of states) {
      for (const to of states) {
        const transition = () => assertTransition(transitions, name, from, to);
        if (from === to || transitions[from]?.[to] !== undefined) transition();
        else assert.throws(transition, new RegExp(`cannot change from '${from}' to '${to}'`));
      }
    }
  }
});

test("the diagrams of payouts and operations show exactly the reachable transitions", () => {
  const now = new Date(0);
  const pairsOf = (transitions: object) =>
    Object.entries<object>(transitions as never).flatMap(([from, to]) =>
      Object.keys(to).map((one) => `${from} ${one}`),
    );
  const table = (name: string) =>
    pairsOf(statefulObjects.find((object) => object.name === name)?.transitions ?? {});

  const unknown = { kind: "unknown", why: "timeout", problem: "no response" } as const;

  const payouts = new Set<string>();
  for (const status of ["pending", "in_transit", "paid", "failed"] as const) {
    for (const response of [
      { kind: "in_transit", arrivesAt: now },
      { kind: "paid" },
      { kind: "failed" },
      unknown,
    ] as const) {
      const transition = applyPayoutResponse(
        { status, version: 1, price: {} } as Payout,
        response,
        now,
      );
      if (transition) payouts.add(`${status} ${transition.payout.status}`);
    }
  }
  assert.deepEqual([...payouts].sort(), table("Payout").sort());

  const operations = new Set<string>();
  for (const kind of ["capture", "void", "refund"] as const) {
    for (const status of ["processing", "succeeded", "failed"] as const) {
      for (const response of [
        { kind: "done", acquirerReference: null },
        { kind: "declined", code: "processing_error", reason: null },
        { kind: "pending", acquirerReference: null },
        { kind: "rejected", why: "invalid_request", acquirerErrorCode: null },
        { kind: "not_sent" },
        unknown,
      ] as const) {
        const received = applyOperationResponse(
          { kind, status, version: 1 } as Operation,
          response,
          "txn_1",
        );
        if (received && received.status !== status) operations.add(`${status} ${received.status}`);
      }
    }
  }
  assert.deepEqual([...operations].sort(), table("Capture, void, refund").sort());
});
