import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { slowed } from "../../test/slowness.ts";
import { dose } from "../../test/test-size.ts";
import { ApiError } from "../core/api-error.ts";
import { compileRule, signalNames } from "./rule-expression.ts";
import { quietSignals } from "./signals.fixture.ts";
import type { Signals } from "./signals.ts";

/**
 * A text of twice the maximum length of an email address. It almost matches the searched text, which is the slowest
 * case for a search.
 */
const longest = "a".repeat(512);
const longSignals = Object.fromEntries(
  Object.entries(quietSignals).map(([name, value]) => [
    name,
    typeof value === "string" ? longest : value,
  ]),
) as unknown as Signals;

const namesOf = (type: string) =>
  signalNames.filter((name) => typeof quietSignals[name] === type && name !== "amount_ratio");

/**
 * Samples of the whitespace and comments that may separate tokens. `notTrivia` has similar samples that must not
 * separate tokens.
 */
const trivia = fc.constantFrom(
  "",
  " ",
  "\t",
  "\n",
  "\r\n",
  " // note\n",
  "//\n",
  "// é 🙂 (\n",
  "//'\n",
);
const notTrivia = fc.constantFrom("\u00a0", "\u200b", "\u2028", "\ufeff", "/**/", "#\n");

/** Tokens before joining. */
type Tokens = readonly string[];
const one = (...tokens: string[]): Tokens => tokens;

const text = fc.oneof(
  fc.constantFrom(...namesOf("string").map((name) => one(name))),
  fc
    .string({ unit: fc.constantFrom("a", "é", "🙂", "(", "m", " ", "/", "\\n"), maxLength: 300 })
    .map((value) => one(`"${value}"`)),
);
const number = fc.oneof(
  fc.constantFrom(...namesOf("number").map((name) => one(name))),
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map((value) => one(String(value))),
);

const condition = fc.letrec<{ condition: Tokens; sum: Tokens }>((tie) => ({
  sum: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    number,
    text.map((of) => one(...of, ".", "size", "(", ")")),
    fc
      .tuple(tie("sum"), fc.constantFrom("+", "-", "*", "/", "%"), tie("sum"))
      .map(([left, operator, right]) => one("(", ...left, operator, ...right, ")")),
  ),
  condition: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.constantFrom(one("true"), one("off_session"), one("authentication_required")),
    fc
      .tuple(tie("sum"), fc.constantFrom("<", "<=", ">", ">=", "==", "!="), tie("sum"))
      .map(([left, operator, right]) => one(...left, operator, ...right)),
    fc
      .tuple(text, fc.constantFrom("startsWith", "endsWith", "contains"), text)
      .map(([on, method, given]) => one(...on, ".", method, "(", ...given, ")")),
    fc
      .tuple(text, fc.array(text, { minLength: 1, maxLength: 6 }))
      .map(([on, list]) => one(...on, "in", "[", ...list.flatMap((of) => [...of, ","]), "]")),
    tie("condition").map((of) => one("!", "(", ...of, ")")),
    fc
      .tuple(tie("condition"), fc.constantFrom("&&", "||"), tie("condition"))
      .map(([left, operator, right]) => one("(", ...left, operator, ...right, ")")),
    fc
      .tuple(tie("condition"), tie("condition"), tie("condition"))
      .map(([when, yes, no]) => one("(", ...when, "?", ...yes, ":", ...no, ")")),
  ),
})).condition;

/**
 * Constructs that are not on the allowlist. The evaluation time of many of them is not bounded by the length of their
 * inputs, or they build longer values.
 */
const forbidden = fc.constantFrom(
  one("email", ".", "matches", "(", '"^(a+)+$"', ")"),
  one("matches", "(", "email", ",", '"^(a+)+$"', ")"),
  one("[", "1", "]", ".", "all", "(", "x", ",", "x", ">", "0", ")"),
  one("[", "1", "]", ".", "exists", "(", "x", ",", "x", ">", "0", ")"),
  one("[", "1", "]", ".", "exists_one", "(", "x", ",", "x", ">", "0", ")"),
  one("[", "1", "]", ".", "map", "(", "x", ",", "x", ")", ".", "size", "(", ")", ">", "0"),
  one("[", "1", "]", ".", "filter", "(", "x", ",", "true", ")", ".", "size", "(", ")", ">", "0"),
  one("cel", ".", "bind", "(", "x", ",", "email", ",", "x", "==", "x", ")"),
  one("(", "email", "+", "email", ")", ".", "size", "(", ")", ">", "0"),
  one("[", "1", "]", "+", "[", "2", "]", "==", "[", "1", "]"),
  one("email", ".", "split", "(", '""', ")", ".", "size", "(", ")", ">", "0"),
  one("[", "email", "]", ".", "join", "(", "email", ")", "==", "email"),
  one("timestamp", "(", "email", ")", "==", "timestamp", "(", "email", ")"),
  one("duration", "(", "email", ")", "==", "duration", "(", "email", ")"),
  one("bytes", "(", "email", ")", ".", "size", "(", ")", ">", "0"),
  one("string", "(", "amount", ")", "==", "email"),
  one("dyn", "(", "email", ")", "==", "email"),
  one("has", "(", "email", ".", "size", ")"),
  one("{", "email", ":", "1", "}", "[", "email", "]", ">", "0"),
  one("[", "amount", "]", "[", "0", "]", ">", "0"),
  one("type", "(", "amount", ")", "==", "int"),
  one("9".repeat(40), ">", "amount"),
);

/** Joins tokens with the given separators. Inserts a space where two words would otherwise touch. */
function joined(tokens: Tokens, between: readonly string[]): string {
  return tokens
    .map((token, at) => {
      const given = between[at % between.length] ?? "";
      const next = tokens[at + 1] ?? "";
      // Without the space, a slash and the comment after it would form a comment that starts one character early.
      if (token === "/") return `/ ${given}`;
      return /\w$/.test(token) && /^[\w"]/.test(next) && given === "" ? `${token} ` : token + given;
    })
    .join("");
}

const spaces = fc.array(trivia, { minLength: 1, maxLength: 12 });
const isRejected = (error: unknown) =>
  error instanceof ApiError &&
  error.code === "parameter_invalid" &&
  error.details.param === "expression";

const expressions = dose("expressions", { short: 400, long: 20_000 });

/** The maximum length of an expression in the API. */
const maxLength = 1_000;

test("rules: an expression of allowed constructs is accepted with any spacing and takes less than 1 ms", () => {
  let accepted = 0;
  fc.assert(
    fc.property(condition, spaces, (tokens, between) => {
      const expression = joined(tokens, between);
      if (expression.length > maxLength || tokens.filter((t) => "+-*/%".includes(t)).length > 20)
        return;
      let holds: ReturnType<typeof compileRule>;
      try {
        holds = compileRule(expression);
      } catch (error) {
        assert.match(String(error), /Exceeded max|nested too deeply/, expression);
        return;
      }
      accepted++;
      assert.ok(fastestMs(holds) < slowed(1), `${fastestMs(holds)} ms for ${expression}`);
    }),
    { numRuns: expressions },
  );
  assert.ok(accepted > expressions / 3, `only ${accepted} were accepted`);
});

test("rules: a forbidden construct is rejected regardless of the comments, spaces and allowed parts around it", () => {
  fc.assert(
    fc.property(
      forbidden,
      condition,
      spaces,
      fc.constantFrom("&&", "||"),
      (bad, good, between, by) => {
        const alone = joined(bad, between);
        assert.throws(() => compileRule(alone), isRejected, alone);
        const hidden = joined([...good, by, "(", ...bad, ")"], between);
        assert.throws(() => compileRule(hidden), isRejected, hidden);
      },
    ),
    { numRuns: expressions },
  );
});

test("rules: no order of tokens makes a forbidden name accepted, and accepted expressions take less than 1 ms", () => {
  const harmless = [
    "email",
    "amount",
    '"a"',
    "(",
    ")",
    "[",
    "]",
    ".",
    ",",
    "in",
    "==",
    "&&",
    "!",
    "1",
    "true",
    "size",
    "contains",
    "?",
    ":",
  ];
  const harmful = [
    "matches",
    "all",
    "exists",
    "map",
    "filter",
    "bind",
    "has",
    "cel",
    "google",
    "split",
    "join",
    "bytes",
    "null",
    "{",
    "}",
    "dyn",
  ];
  const token = fc.oneof(
    { arbitrary: fc.constantFrom(...harmless), weight: 8 },
    { arbitrary: fc.constantFrom(...harmful), weight: 1 },
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 14 }), spaces, (tokens, between) => {
      let holds: ReturnType<typeof compileRule>;
      try {
        holds = compileRule(joined(tokens, between));
      } catch (error) {
        assert.ok(isRejected(error), String(error));
        return;
      }
      assert.deepEqual(
        tokens.filter((one) => harmful.includes(one)),
        [],
      );
      assert.ok(fastestMs(holds) < 1);
    }),
    { numRuns: 6 * expressions },
  );
});

test("rules: characters that resemble spaces do not separate a name from its parenthesis", () => {
  fc.assert(
    fc.property(forbidden, notTrivia, (bad, between) => {
      assert.throws(() => compileRule(joined(bad, [between])), isRejected);
    }),
    { numRuns: 300 },
  );
});

for (const [what, unit] of [
  ["overflows", `${2n ** 63n - 1n}+1>1`],
  ["divisions by zero", "1/0>1"],
  ["sizes", "email.size()<0"],
  ["searches that nearly match", `email.contains("b${"a".repeat(100)}")`],
  ["searches of short texts", 'email.contains("ab")'],
  ["lists", "ip in[email,device]"],
] as const) {
  test(`rules: an expression full of ${what} takes less than 1 ms`, () => {
    let taken: ReturnType<typeof compileRule> | null = null;
    for (let times = 1; times * (unit.length + 2) <= maxLength; times++) {
      try {
        taken = compileRule(Array(times).fill(unit).join("||"));
      } catch {
        break;
      }
    }
    assert.ok(taken);
    assert.ok(fastestMs(taken) < 1);
  });
}

/** Returns the fastest of several runs, so that a busy machine does not count against the expression. */
function fastestMs(holds: (signals: Signals) => boolean): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 20 && fastest >= 0.2; run++) {
    const began = performance.now();
    try {
      holds(longSignals);
    } catch {
      // A rule that fails, for example with a division by zero, does not match. Its evaluation must be as fast as that
      // of any other rule.
    }
    fastest = Math.min(fastest, performance.now() - began);
  }
  return fastest;
}
