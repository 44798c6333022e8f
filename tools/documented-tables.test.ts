import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { goals, maxServerMegabytes } from "../bench/goals.ts";
import { usage } from "../cli/usage.ts";
import { logoLimits } from "../contract/src/account-profile.ts";
import { maxDocumentBytes } from "../contract/src/application.ts";
import { serviceAuditActionNames } from "../contract/src/audit-actions.ts";
import { disputeReasons, maxDisputeFileBytes } from "../contract/src/dispute.ts";
import { errorCodes } from "../contract/src/errors.ts";
import { eventTypes } from "../contract/src/event.ts";
import { listAttributes } from "../contract/src/list-entry.ts";
import { savedByValues, updateReasons } from "../contract/src/payment-method.ts";
import { differenceKinds, reconciliationStatuses } from "../contract/src/reconciliation.ts";
import { sizeText } from "../contract/src/size-text.ts";
import { routeSkipReasons } from "../contract/src/timeline.ts";
import { reasonCode } from "../dashboard/src/pages/disputes/reason-guidance.ts";
import { maxReportBytes } from "../server/src/acquiring/settlement-report.ts";
import { needsAllRows } from "../server/src/insights/verify/check.ts";
import { checks } from "../server/src/insights/verify/checks.ts";
import { defaultOptions } from "../server/src/insights/verify/verify.ts";
import { networkLimits } from "../server/src/platform/http/access.ts";
import { bodyLimitBytes } from "../server/src/platform/http/to-api-error.ts";
import { riskReasons } from "../server/src/risk/assess.ts";
import { signalNames } from "../server/src/risk/rule-expression.ts";

// Compares the tables and lists of the documentation, and the names in it, with the code.
const docs = new URL("../docs/", import.meta.url);
const read = (page: string) => readFileSync(new URL(`${page}.md`, docs), "utf8");
const pages = ["guides", "operating"].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, docs))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name.slice(0, -".md".length)}`),
);

/** Returns the cells of a page's table whose first column has this heading. */
function rowsOf(page: string, heading: string): string[][] {
  const [, table] = read(page).split(`\n| ${heading} |`);
  assert.ok(table, `${page} has no table '${heading}'`);
  const rows = (table.split("\n\n")[0] as string).split("\n").slice(2);
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Returns the words in backticks. */
const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word as string);
const firstCells = (page: string, heading: string) =>
  rowsOf(page, heading).flatMap(([cell = ""]) => codeIn(cell));

test("the page about florin verify lists the checks and the invariants of the command", () => {
  const options = { ...defaultOptions, cards: true };
  const ofCommand = checks.filter((check) => !("applies" in check) || check.applies(options));
  assert.deepEqual(
    rowsOf("operating/verify", "Check"),
    ofCommand.map(({ name, invariant }) => [
      `\`${name}\``,
      name === "no_card_outside_the_vault"
        ? `${invariant} This check requires \`--cards\`.`
        : invariant,
    ]),
  );
  const [, omitted = ""] = /- The checks ([^.]+) do not run/.exec(read("operating/verify")) ?? [];
  const needed = checks.filter((check) => "applies" in check && check.applies === needsAllRows);
  assert.deepEqual(
    codeIn(omitted),
    needed.map(({ name }) => name),
  );
});

test("the page about the audit log lists every action of the service-wide log", () => {
  const listed = rowsOf("operating/audit-log", "Action").flatMap(([cell = ""]) => {
    const [first = "", ...others] = codeIn(cell);
    const object = first.slice(0, first.indexOf("."));
    return [first, ...others.map((name) => (name.startsWith(".") ? object + name : name))];
  });
  assert.deepEqual(listed.sort(), [...serviceAuditActionNames].sort());
});

test("the page about reconciliation lists every status and every kind of difference", () => {
  assert.deepEqual(firstCells("operating/reconciliation", "`status`"), [...reconciliationStatuses]);
  assert.deepEqual(firstCells("operating/reconciliation", "`kind`"), [...differenceKinds]);
});

test("the page about routing lists every reason why an assignment is not used", () => {
  assert.deepEqual(firstCells("operating/routing", "Reason").sort(), [...routeSkipReasons].sort());
});

test("the page about production lists the limits of every kind of request", () => {
  const listed = rowsOf("operating/production", "Requests from one network").map(
    ([, perSecond = "", burst = ""]) =>
      [perSecond, burst].map((cell) => Number(cell.replace(",", ""))),
  );
  const limits = Object.values(networkLimits).map(({ perSecond, burst }) => [perSecond, burst]);
  assert.deepEqual(listed, limits);
});

test("the page about production states the maximum size of every kind of upload", () => {
  const page = read("operating/production").replaceAll("\n", " ");
  const sizes = [
    maxReportBytes,
    maxDocumentBytes,
    maxDisputeFileBytes,
    logoLimits.maxBytes,
    bodyLimitBytes,
  ];
  const [, paragraph = ""] =
    /A proxy must accept bodies of (.+?) Configure the proxy/.exec(page) ?? [];
  assert.deepEqual(paragraph.match(/[\d.]+ [KM]iB/g), sizes.map(sizeText));
});

test("the page about performance lists the bound of every goal", () => {
  const bounds = new Map<string, string>();
  for (const { name, atLeast, atMost } of goals) {
    // The table has one row for several numbers of connections or processes.
    const row = name.replace(/, \d+ connections$/, "").replace(/\d+ processes/, "processes");
    bounds.set(row, atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`);
  }
  const listed = rowsOf("operating/performance", "Goal").map(
    ([, , bound = ""]) => /^at (?:least|most) [\d.]+/.exec(bound.replaceAll(",", ""))?.[0],
  );
  assert.deepEqual(listed, [...bounds.values(), `at most ${maxServerMegabytes}`]);
});

test("the guide about decisions lists every signal, every reason and every attribute of a list", () => {
  assert.deepEqual(
    rowsOf("guides/decisions", "Reason").map(([reason, points]) => [reason, points]),
    riskReasons.map(([reason, points]) => [`\`${reason}\``, String(points)]),
  );
  assert.deepEqual(firstCells("guides/decisions", "Signal").sort(), [...signalNames].sort());
  const [, attributes = ""] = /The attributes are ([^.]+)\./.exec(read("guides/decisions")) ?? [];
  assert.deepEqual(codeIn(attributes).sort(), [...listAttributes].sort());
});

test("the guide about saved cards lists every reason of an update, and every way to save a card", () => {
  assert.deepEqual(firstCells("guides/saved-cards", "`update_required.reason`"), [
    ...updateReasons,
  ]);
  const [, ways = ""] =
    /The `saved_by` of a payment method is ([^.]+)\./.exec(read("guides/saved-cards")) ?? [];
  assert.deepEqual(codeIn(ways), [...savedByValues]);
});

test("the guide about disputes and the dashboard show the same code of a network for each reason", () => {
  const networks = {
    visa: "Visa",
    mastercard: "Mastercard",
    amex: "American Express",
    discover: "Discover",
  };
  const shown = disputeReasons.map((reason) => [
    `\`${reason}\``,
    ...Object.entries(networks).map(
      ([brand, name]) => reasonCode(reason, brand)?.slice(name.length + 1) ?? "",
    ),
  ]);
  const listed = rowsOf("guides/disputes", "`reason`").map((cells) => cells.slice(0, -1));
  assert.deepEqual(listed, shown);
});

test("the pages name only existing commands and options of florin, and existing npm scripts", () => {
  const commands = new Map<string, string[]>();
  for (const [, command = "", rest = ""] of usage.matchAll(/^ {2}florin ([a-z-]+)(.*)$/gm)) {
    commands.set(
      command,
      [...rest.matchAll(/--[a-z-]+/g)].map(([option]) => option),
    );
  }
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  let count = 0;
  for (const page of pages) {
    const text = read(page);
    for (const [, script = ""] of text.matchAll(/\bnpm run ([a-z][a-z:-]*)/g)) {
      assert.ok(script in scripts, `${page}: npm run ${script} does not exist`);
    }
    const code = [...text.matchAll(/```sh.*\n([\s\S]*?)```/g), ...text.matchAll(/`([^`\n]+)`/g)];
    for (const [, block = ""] of code) {
      for (const [line, command = "", rest = ""] of block.matchAll(
        /(?:npm run |bin\/|^)florin ([a-z-]+)([^#\n|']*)/gm,
      )) {
        const known = commands.get(command) ?? assert.fail(`${page}: ${line}`);
        for (const [option] of rest.matchAll(/(?<= )--[a-z-]+/g)) {
          assert.ok(known.includes(option), `${page}: ${line} has no option ${option}`);
          count++;
        }
      }
    }
  }
  assert.ok(count > 15, String(count));
});

test("every error that a page names with its status exists with this status", () => {
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/\b([45]\d\d)\s+`([a-z_]+)`/g)].map(([, status, code = ""]) => {
      const known = errorCodes[code as keyof typeof errorCodes];
      assert.equal(known?.status, Number(status), `${page}: ${status} ${code}`);
      return code;
    }),
  );
  assert.ok(named.length > 5, named.join(", "));
});

test("every event that a guide names exists", () => {
  const objects = new Set(eventTypes.map((type) => type.slice(0, type.indexOf("."))));
  let count = 0;
  for (const page of pages.filter((one) => one.startsWith("guides/"))) {
    for (const [, name = "", object = ""] of read(page).matchAll(/`(([a-z_]+)\.[a-z_]+)`/g)) {
      if (!objects.has(object)) continue;
      assert.ok(
        (eventTypes as readonly string[]).includes(name),
        `${page}: ${name} is not an event`,
      );
      count++;
    }
  }
  assert.ok(count > 20, String(count));
});

test("every setting that a page names exists", () => {
  const settings = new Set(codeIn(rowsOf("operating/settings", "Setting").join("\n")));
  /** The variables of commands on other machines, in examples and in tests. */
  const others = ["FLORIN_URL", "FLORIN_SECRET_KEY", "FLORIN_WEBHOOK_SECRET", "FLORIN_CHROMIUM"];
  for (const page of pages) {
    for (const [name] of read(page).matchAll(/\bFLORIN_[A-Z_]+\b/g)) {
      assert.ok(settings.has(name) || others.includes(name), `${page}: ${name} is not a setting`);
    }
  }
});
