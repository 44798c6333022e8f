import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecisionOutcome } from "@florin/contract/decision.ts";
import type { CardTraits } from "../acquiring/processor.ts";
import { newId } from "../core/ids.ts";
import { assess, type Matches, score } from "./assess.ts";
import { riskLevel } from "./risk-level.ts";
import { quietSignals } from "./signals.fixture.ts";
import type { Signals } from "./signals.ts";

type Wish = {
  signals?: Partial<Signals>;
  risk?: CardTraits["risk"];
  rules?: readonly DecisionOutcome[];
  list?: Matches["list"];
};

function decide({ signals = {}, risk = "normal", rules = [], list = null }: Wish = {}) {
  const seen = { ...quietSignals, ...signals };
  const scored = score(seen, risk);
  const all = { ...seen, risk_score: scored.score, risk_level: riskLevel(scored.score) };
  const matched = rules.map((outcome) => ({ id: newId("rule", new Date(0)), outcome }));
  return assess(all, risk, scored, { list, rules: matched });
}

const authenticationRequired = { authentication_required: true };
const absent = { off_session: true };

for (const [what, wish, verdict, authenticate] of [
  ["no signal", {}, "approve", false],
  ["the issuer requires 3-D Secure", { signals: authenticationRequired }, "challenge", true],
  [
    "the issuer requires 3-D Secure off-session",
    { signals: { ...authenticationRequired, ...absent } },
    "approve",
    false,
  ],
  ["a rule challenges", { rules: ["challenge"] }, "challenge", true],
  ["a rule challenges off-session", { rules: ["challenge"], signals: absent }, "approve", false],
  ["a rule requests a review", { rules: ["review", "challenge"] }, "review", true],
  [
    "a rule declines and others approve",
    { rules: ["decline", "review", "challenge"] },
    "decline",
    false,
  ],
  [
    "a rule approves and others request a review",
    { rules: ["decline", "review", "approve"] },
    "approve",
    false,
  ],
  [
    "a rule approves, and the issuer requires 3-D Secure",
    { rules: ["approve"], signals: authenticationRequired },
    "challenge",
    true,
  ],
  ["a rule approves and another challenges", { rules: ["challenge", "approve"] }, "approve", false],
  [
    "on the allow list, and a rule challenges",
    { list: "allow", rules: ["challenge"] },
    "approve",
    false,
  ],
  [
    "on the allow list, and the issuer requires 3-D Secure",
    { list: "allow", signals: authenticationRequired },
    "challenge",
    true,
  ],
  ["on the block list", { list: "block" }, "decline", false],
  [
    "on the block list, and a rule approves",
    { list: "block", rules: ["approve"] },
    "approve",
    false,
  ],
  [
    "on the allow list, and a rule declines",
    { list: "allow", rules: ["decline"] },
    "approve",
    false,
  ],
  ["the network reports elevated risk", { risk: "elevated" }, "review", false],
  [
    "the network reports elevated risk, and the allow list matches",
    { risk: "elevated", list: "allow" },
    "approve",
    false,
  ],
  ["the network reports the highest risk", { risk: "highest" }, "decline", false],
  [
    "the network reports the highest risk, and a rule requests a review",
    { risk: "highest", rules: ["review"] },
    "decline",
    false,
  ],
  [
    "the network reports the highest risk, and a rule approves",
    { risk: "highest", rules: ["approve"] },
    "approve",
    false,
  ],
  [
    "the network blocks the card, and the allow list matches",
    { risk: "blocked", list: "allow" },
    "decline",
    false,
  ],
] as const satisfies readonly (readonly [string, Wish, DecisionOutcome, boolean])[]) {
  test(`${what}: ${verdict}${authenticate ? ", after 3-D Secure" : ""}`, () => {
    const assessment = decide(wish);
    assert.deepEqual([assessment.verdict, assessment.authenticate], [verdict, authenticate]);
  });
}

const strictness = ["approve", "challenge", "review", "decline"] as const;

test("a higher risk never leads to a more lenient verdict", () => {
  const subsets = Array.from({ length: 2 ** strictness.length }, (_, bits) =>
    strictness.filter((_, at) => bits & (1 << at)),
  );
  let compared = 0;
  for (const list of [null, "allow", "block"] as const)
    for (const outcomes of subsets)
      for (const authentication_required of [false, true])
        for (const off_session of [false, true]) {
          const rules = outcomes.map((outcome) => ({ id: newId("rule", new Date(0)), outcome }));
          let before = 0;
          // Tries every score from 0 to 100 at each network risk level, in ascending order.
          for (const risk of ["normal", "elevated", "highest", "blocked"] as const) {
            let beforeInLevel = 0;
            for (let points = 0; points <= 100; points++) {
              const signals = {
                ...quietSignals,
                authentication_required,
                off_session,
                risk_score: points,
                risk_level: riskLevel(points),
              };
              const scored = { score: points, reasons: [] };
              const { verdict } = assess(signals, risk, scored, { list, rules });
              const strict = strictness.indexOf(verdict);
              assert.ok(
                strict >= beforeInLevel,
                `${list} ${outcomes} ${risk} ${points}: ${verdict}`,
              );
              beforeInLevel = strict;
              compared++;
            }
          }
          for (const risk of ["normal", "elevated", "highest", "blocked"] as const) {
            const wish: Wish = { risk, rules: outcomes, list };
            const { verdict } = decide({
              ...wish,
              signals: { authentication_required, off_session },
            });
            const strict = strictness.indexOf(verdict);
            assert.ok(strict >= before, `${list} ${outcomes} ${risk}: ${verdict}`);
            before = strict;
          }
        }
  assert.equal(compared, 3 * 16 * 4 * 4 * 101);
});

test("each signal has a reason, and all of them together lead at most to review", () => {
  const worst = {
    card_attempts_1h: 11,
    card_declines_24h: 3,
    card_mismatches_24h: 1,
    email_attempts_1h: 11,
    ip_attempts_1h: 21,
    ip_declines_24h: 5,
    device_attempts_1h: 21,
    card_country: "US",
    ip_country: "KP",
    billing_country: "DE",
    amount_ratio: 11,
  };
  const { verdict, score: points, reasons } = decide({ signals: worst });
  assert.deepEqual([verdict, points, reasons.length], ["review", 74, 10]);
  assert.deepEqual(
    decide({ signals: { ...worst, ip_country: "", billing_country: "US" } }).reasons.length,
    8,
  );
});
