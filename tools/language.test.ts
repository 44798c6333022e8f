import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { test } from "node:test";
import { commentsOf } from "./comments.ts";
import { readSources, root } from "./source-tree.ts";

const sources = readSources();
const comments = sources.flatMap((source) =>
  commentsOf(source).map((comment) => ({ path: source.path, ...comment })),
);

/** Openings that leave out the subject. "That" and "As" may begin a sentence and are not listed. */
const headless =
  /^(What|Who|Whose|Whom|Where|Whether|How|Whoever|Whatever|Whichever)\b|^When\b[^,.]*\.(?:\s|$)|^The same\b[^.]*[.;]?$/;

/** Words that `docs/vocabulary.md` replaces, and that have no technical meaning in a comment. */
const banned =
  /\b(whoever|whomever|whatever|somebody|nobody|anew|meanwhile|by itself|for want of|hearken\w*|knock(s|ed|ing)?|overhear\w*|taken up|spec §|contract §)/i;

/** Returns the text without code in backticks, such as the system user `nobody`. */
function proseOf(text: string): string {
  return text.replaceAll(/`[^`]*`/g, "");
}

const bannedInNames =
  /\b(act|ask-again|briefly|catch-up|desk|doors?|fair-share|fate|hand-over|judge|knock|lanes?|letters?|moves?|overhear|parcel|persistently|recorder|refusals?|seal|shout|sieve|told)\b/;

test("a comment begins with its subject or a verb", () => {
  const violations = comments
    .filter(({ text }) => headless.test(text))
    .map(({ path, line, text }) => `${path}:${line} ${text.slice(0, 80)}`);
  assert.deepEqual(violations, [], "Begin with the subject or a verb: Returns, Locks, True if.");
});

test("a comment names the actor and uses the words of docs/vocabulary.md", () => {
  const violations = comments
    .filter(({ text }) => banned.test(proseOf(text)))
    .map(({ path, line, text }) => `${path}:${line} ${text.slice(0, 80)}`);
  assert.deepEqual(violations, [], "Use the words of docs/vocabulary.md.");
});

test("a file's name uses the words of docs/vocabulary.md", () => {
  const violations = sources
    .map(({ path }) => path)
    .filter((path) => bannedInNames.test(basename(path)));
  assert.deepEqual(violations, [], "Use the words of docs/vocabulary.md.");
});

/** Imperative verbs that end like a participle. */
const imperatives: ReadonlySet<string> = new Set([
  "Bring",
  "Embed",
  "Exceed",
  "Feed",
  "Need",
  "Ping",
  "Proceed",
  "Seed",
  "Shed",
  "Speed",
  "Spread",
  "String",
]);

/** Returns the problem with a commit's subject, or null. */
function problemOf(subject: string): string | null {
  const [first = ""] = subject.split(" ");
  if (subject.length > 72) return "is longer than 72 characters";
  if (subject.endsWith(".")) return "ends with a period";
  if (/^(A|An|The|It|This|That|There|What|Who|Where|How|When|No|Every|Each)$/.test(first))
    return "does not begin with a verb";
  if (/(ed|ing)$/.test(first) && !imperatives.has(first)) return "is not imperative";
  return null;
}

test("the subjects of new commits are imperative and have at most 72 characters", () => {
  const violations = newSubjects().flatMap((subject) => {
    const problem = problemOf(subject);
    return problem === null ? [] : [`"${subject}" ${problem}`];
  });
  assert.deepEqual(violations, [], "Say what the commit does: Add, Fix, Rename.");
});

/**
 * Returns the subjects of the commits since `main`, or of the last commit if there are none. Returns an empty list for
 * a copy of the repository without Git.
 */
function newSubjects(): string[] {
  const git = (...options: string[]) => {
    try {
      const stdio = ["ignore", "pipe", "ignore"] as const;
      const output = execFileSync("git", options, {
        cwd: root,
        encoding: "utf8",
        stdio: [...stdio],
      });
      return output.split("\n").filter((line) => line !== "");
    } catch {
      return [];
    }
  };
  const since = git("log", "--no-merges", "--format=%s", "main..HEAD");
  return since.length > 0 ? since : git("log", "--no-merges", "--format=%s", "-1");
}

test("the language rules detect the violations that they are written for", () => {
  const text = [
    "// Who asks for it.",
    "const a = `/* Where it is */`;",
    "/** Returns the key. */",
    "// Locks the row,",
    "// and nobody waits.",
    "/** When the row was locked. */",
    "/** When `a.ts` changes, reads it again. */",
  ].join("\n");
  const found = commentsOf({ path: "a.ts", text });
  assert.deepEqual(
    found.map((comment) => [comment.line, headless.test(comment.text), banned.test(comment.text)]),
    [
      [1, true, false],
      [3, false, false],
      [4, false, true],
      [6, true, false],
      [7, false, false],
    ],
  );
  assert.equal(problemOf("Release keys held by dead processes"), null);
  assert.equal(problemOf("Embed the card form"), null);
  assert.notEqual(problemOf("A key that a dead process left is free"), null);
  assert.notEqual(problemOf("Fixed the lease."), null);
});
