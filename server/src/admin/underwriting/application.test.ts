import assert from "node:assert/strict";
import { test } from "node:test";
import { applicationStatuses } from "@florin/contract/application.ts";
import fc from "fast-check";
import { newId } from "../../core/ids.ts";
import {
  type Application,
  type ApplicationTransition,
  applicationTransitions,
  emptyApplication,
  transitionApplication,
} from "./application.ts";

const now = new Date("2026-03-01T12:00:00Z");
const later = new Date("2026-03-02T12:00:00Z");
const draft = emptyApplication(newId("acct", now));

const moves: Record<keyof typeof applicationTransitions, ApplicationTransition> = {
  submit: { kind: "submit" },
  begin_review: { kind: "begin_review" },
  request_information: {
    kind: "request_information",
    requests: [{ section: "website", message: "Where are your terms?" }],
  },
  resubmit: { kind: "resubmit" },
  approve: { kind: "approve" },
  reject: { kind: "reject", note: "The shop sells what card networks forbid." },
  reopen: { kind: "reopen" },
};

const through = (...kinds: (keyof typeof moves)[]): Application =>
  kinds.reduce<Application>((at, kind) => transitionApplication(at, moves[kind], later), draft);

test("an application reaches approval, or returns for more information, one transition at a time", () => {
  const waiting = through("submit", "begin_review", "request_information");
  assert.deepEqual(waiting, {
    account: draft.account,
    version: 4,
    status: "more_information_needed",
    submittedAt: later,
    requests: [{ section: "website", message: "Where are your terms?" }],
  });
  const approved = transitionApplication(
    transitionApplication(waiting, moves.resubmit, now),
    moves.approve,
    now,
  );
  assert.deepEqual(approved, {
    account: draft.account,
    version: 6,
    status: "approved",
    submittedAt: later,
    decidedAt: now,
  });
});

test("any sequence of transitions follows the table, and each increments the version", () => {
  const kinds = fc.constantFrom(...(Object.keys(moves) as (keyof typeof moves)[]));
  fc.assert(
    fc.property(fc.array(kinds, { maxLength: 30 }), (tried) => {
      let at: Application = draft;
      for (const kind of tried) {
        const from: readonly string[] = applicationTransitions[kind].from;
        if (from.includes(at.status)) {
          const next = transitionApplication(at, moves[kind], now);
          assert.equal(next.status, applicationTransitions[kind].to);
          assert.equal(next.version, at.version + 1);
          at = next;
        } else {
          assert.throws(() => transitionApplication(at, moves[kind], now), {
            code: "status_transition_invalid",
          });
        }
      }
    }),
  );
});

test("every status is reachable, and approval is final", () => {
  const reached = new Set<string>([
    "draft",
    ...Object.values(applicationTransitions).map(({ to }) => to),
  ]);
  assert.deepEqual([...reached].sort(), [...applicationStatuses].sort());
  for (const { from } of Object.values(applicationTransitions)) {
    assert.ok(!(from as readonly string[]).includes("approved"));
  }
});
