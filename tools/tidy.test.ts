import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import {
  importsOf,
  isTest,
  namedFiles,
  readSources,
  runningCode,
  type Source,
  withoutComments,
} from "./source-tree.ts";
import { fittingName } from "./test-needs.ts";

const sources = readSources();
const byPath = new Map(sources.map((source) => [source.path, source]));
const serverSources = sources.filter(({ path }) => path.startsWith("server/src/"));
const serverCode = serverSources.filter(({ path }) => !isTest(path));

function holds(violations: readonly string[], reason: string): void {
  assert.equal(violations.length, 0, `${reason}\n  ${violations.join("\n  ")}\n`);
}

/** The modules of the server in import order: each may import only itself and those before it. */
const order = [
  "core",
  "platform/database",
  "platform/jobs",
  "platform/http",
  "platform/idempotency",
  "platform/audit",
  "platform/mail",
  "identity/accounts",
  "identity/people",
  "identity/team",
  "identity/api-keys",
  "vault",
  "acquiring",
  "cards/payment-methods",
  "cards/customers",
  "webhooks/events",
  "webhooks/delivery",
  "risk",
  "payments/ledger",
  "payments/commit",
  "payments/sessions",
  "payments/charges",
  "payments/three-d-secure",
  "payments/disputes",
  "payments/operations",
  "payments/inquiries",
  "payments/notifications",
  "payments/balance",
  "payments/payouts",
  "payments/checkout",
  "payments/test-clock",
  "reconciliation",
  "insights/saved-views",
  "insights/metrics",
  "insights/request-log",
  "insights/timeline",
  "insights/verify",
  "insights/monitoring",
  "admin/account-settings",
  "admin/settings-copy",
  "admin/underwriting",
  "admin/operator",
  "admin/connections",
  "config.ts",
  "log.ts",
  "demo.ts",
  "app/dashboard",
  "app",
  "app.ts",
  "main.ts",
];

/** Returns `payments/charges` for a file of that module, and `app.ts` for that file and its test. */
function moduleOf(path: string): string {
  const name = path.slice("server/src/".length).replace(/(\.db|\.api)?\.test\.ts$/, ".ts");
  const [first = "", second = ""] = name.split("/");
  return order.includes(`${first}/${second}`) ? `${first}/${second}` : first;
}

test("every server file belongs to a module in the import order", () => {
  holds(
    serverSources.map(({ path }) => path).filter((path) => !order.includes(moduleOf(path))),
    "Add a new module to the import order (`order`, above) before adding files to it.",
  );
});

test("a module imports only modules before it", () => {
  const violations = serverCode.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target?.startsWith("server/src/"))
      .filter(
        ({ target }) => order.indexOf(moduleOf(target as string)) > order.indexOf(moduleOf(path)),
      )
      .map(({ target }) => `${path} imports ${target}`),
  );
  holds(
    violations,
    "Imports go one way, so that each module can be understood with only those before it. A module declares what it " +
      "needs from a later one as a separate type, and app/ passes it in.",
  );
});

test("the server has at most 13 folders, and at most 90 import arrows between them", () => {
  const folderOf = (path: string) => path.split("/").slice(2, -1)[0] ?? "";
  const folders = new Set(serverSources.map(({ path }) => folderOf(path)));
  folders.delete("");
  const arrows = new Set(
    serverCode.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target?.startsWith("server/src/"))
        .map(({ target }) => `${folderOf(path)} → ${folderOf(target as string)}`)
        .filter((arrow) => !/^ | $/.test(arrow) && !/^(.+) → \1$/.test(arrow)),
    ),
  );
  assert.ok(folders.size <= 13, `${folders.size} folders: ${[...folders].join(", ")}`);
  assert.ok(arrows.size <= 90, `${arrows.size} arrows: ${[...arrows].join(", ")}`);
});

test("bodies and queries are validated in one place, which also rejects card data", () => {
  const violations = serverCode
    .filter(({ path }) => !isTest(path) && path !== "server/src/platform/http/read-request.ts")
    .filter(({ imports }) => imports.some(({ target }) => target === "contract/src/violation.ts"))
    .map(({ path }) => path);
  holds(
    violations,
    "A schema check outside `rejectSchemaViolation` would let card numbers into texts that are stored and logged.",
  );
});

test("no slice imports the configuration", () => {
  const violations = sources
    .filter(({ path }) => !isTest(path) && !/^server\/src\/[^/]+$/.test(path))
    .filter(({ path }) => !/^(cli|bench|tools)\//.test(path))
    .filter(({ imports }) => imports.some(({ target }) => target === "server/src/config.ts"))
    .map(({ path }) => path);
  holds(
    violations,
    "A slice receives only the values that it needs. With the whole configuration, it could depend on any setting.",
  );
});

/** The files of other workspaces that each workspace may import. Tests may import what they test. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  server: ["contract", "embed"],
  embed: ["contract"],
  dashboard: ["contract"],
  sdk: ["contract"],
  simulator: ["contract", "server"],
  fakes: [],
  cli: ["contract", "dashboard", "embed", "examples", "sdk", "server", "simulator"],
  examples: ["contract", "sdk"],
};

test("the contract imports no workspace, and every workspace imports only those below it", () => {
  const violations = sources
    .filter(({ path }) => !isTest(path))
    .flatMap(({ path, imports }) => {
      const workspace = path.split("/")[0] as string;
      const allowed = mayImport[workspace];
      if (!allowed) return [];
      return imports
        .map(({ target }) => target?.split("/")[0])
        .filter((other) => other !== undefined && other !== workspace && !allowed.includes(other))
        .map((other) => `${path} imports from ${other}/`);
    });
  holds(
    violations,
    "The contract is what all sides agree on, so it knows none of them; and what is published must not drag the server along.",
  );
});

test("the loader on the merchant's page imports no code that handles card data", () => {
  const violations = sources
    .filter(({ path }) => path.startsWith("embed/src/page/") && !isTest(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => /^embed\/src\/(card|frame|challenge)\//.test(target ?? ""))
        .map(({ target }) => `${path} imports ${target}`),
    );
  holds(
    violations,
    "Card data is entered only inside our own frame (docs/operating/card-data.md); what runs on the merchant's page must not even hold the code for it.",
  );
});

test("the dashboard imports only types from the contract's schemas", () => {
  const plain = [
    "permissions.ts",
    "roles.ts",
    "declines.ts",
    "audit-actions.ts",
    "password.ts",
    "minor-units.ts",
  ];
  const violations = sources
    .filter(({ path }) => path.startsWith("dashboard/src/") && !isTest(path))
    .flatMap((source) =>
      [...runningCode(source).matchAll(/from "@florin\/contract\/([^"]+)"/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !plain.includes(name))
        .map((name) => `${source.path} imports a value from ${name}`),
    );
  holds(
    violations,
    "A schema brings TypeBox along, 30 KB that every visitor would fetch. Types cost nothing; a list of names can be " +
      "written down again, for the type checker compares it with the schema's type.",
  );
});

test("there are no import cycles", () => {
  holds(
    findCycles(),
    "Files in an import cycle cannot be understood, tested or loaded separately. Move what both need into a separate file.",
  );
});

/** Searches depth-first. A file that is met while it is on the stack closes a cycle. */
function findCycles(): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, way: readonly string[]): void => {
    const cycleStart = way.indexOf(path);
    if (cycleStart >= 0) cycles.push([...way.slice(cycleStart), path].join(" → "));
    if (cycleStart >= 0 || done.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target) walk(target, [...way, path]);
    }
    done.add(path);
  };
  for (const { path } of sources) walk(path, []);
  return cycles;
}

test("only config.ts reads the environment of the server", () => {
  const violations = [...serverCode, ...sources.filter(isLibrary)]
    .filter(({ path }) => path !== "server/src/config.ts")
    .filter((source) => /\bprocess\.env\b/.test(runningCode(source)))
    .map(({ path }) => path);
  holds(
    violations,
    "One place lists every setting, checks it and names it in the manual. A variable read elsewhere is a secret door.",
  );
});

function isLibrary({ path }: Source): boolean {
  return /^(contract|sdk|embed)\/src\//.test(path) && !isTest(path);
}

test("only core/clock.ts reads the time", () => {
  const violations = serverCode
    .filter(({ path }) => path !== "server/src/core/clock.ts")
    .filter((source) => /\bDate\.now\b|\bnew Date\(\)|\bnew Date\b(?!\()/.test(runningCode(source)))
    .map(({ path }) => path);
  holds(
    violations,
    "Time is handed in as a Clock or a Date, so that tests stop it and a merchant's test clock moves it.",
  );
});

test("nothing in the server calls Math.random", () => {
  const violations = serverCode
    .filter((source) => /\bMath\.random\b/.test(runningCode(source)))
    .map(({ path }) => path);
  holds(
    violations,
    "Math.random can be predicted. node:crypto gives secrets, ids and jitter alike.",
  );
});

test("only vault/, acquiring/ and the simulator import CardNumber", () => {
  const violations = sources
    .filter(({ path }) => path !== "tools/tidy.test.ts")
    .filter(({ path }) => !/^(?:server\/src\/(?:vault|acquiring)|simulator\/src)\//.test(path))
    .filter((source) => /\bCardNumber\b/.test(withoutComments(source)))
    .map(({ path }) => path);
  holds(
    violations,
    "Where a card number may be held decides what PCI DSS applies to. The fewer files, the fewer to guard.",
  );
});

test("only vault/ and acquiring/ reveal a card number or name the message field with it", () => {
  const violations = serverCode
    .filter(({ path }) => !/^server\/src\/(vault|acquiring)\//.test(path))
    .filter((source) => /\bacctNumber\b|\.reveal\(\)/.test(withoutComments(source)))
    .map(({ path }) => path);
  holds(
    violations,
    "What holds a card may be passed on unopened; it is opened where it leaves us, and nowhere else.",
  );
});

test("every server file is reachable from an entry point", () => {
  const entries = sources
    .map(({ path }) => path)
    .filter((path) => path === "server/src/main.ts" || /^(cli|bench|tools)\//.test(path))
    .filter((path) => !isTest(path));
  const alive = reachedFrom(entries);
  holds(
    serverCode.map(({ path }) => path).filter((path) => !alive.has(path)),
    "A file that nothing starts or imports is read, maintained and trusted for nothing. What only tests use is " +
      "named *.fixture.ts or lies in server/test/.",
  );
});

test("every fixture is used by a test", () => {
  const tests = sources.map(({ path }) => path).filter((path) => /\.test\.tsx?$/.test(path));
  const alive = reachedFrom([...tests, ...sources.map(({ path }) => path).filter(isTool)]);
  holds(
    sources.map(({ path }) => path).filter((path) => isTest(path) && !alive.has(path)),
    "A fixture no test uses proves nothing.",
  );
});

test("the suffix of a test file says what the test needs", () => {
  const violations = sources
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .map((source) => [source.path, fittingName(source, byPath)])
    .filter(([path, fitting]) => path !== fitting)
    .map(([path, fitting]) => `${path} should be named ${fitting}`);
  holds(
    violations,
    "`.test.ts` needs only Node, `.db.test.ts` Postgres, `.api.test.ts` the service or a command, and " +
      "`.browser.test.ts` Chromium. The runner and the reader rely on the suffix.",
  );
});

test("every journey runs in one test file", () => {
  const runs = (path: string) =>
    sources.filter(
      (source) =>
        source.path.endsWith(".test.ts") && source.imports.some(({ target }) => target === path),
    ).length;
  holds(
    sources
      .map(({ path }) => path)
      .filter((path) => path.endsWith(".journey.ts") && runs(path) !== 1),
    "A journey runs only where a test file imports it, and twice where two do.",
  );
});

function isTool(path: string): boolean {
  return /^(bench|tools|journeys)\//.test(path);
}

function reachedFrom(entries: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const walk = (path: string): void => {
    const source = byPath.get(path);
    if (!source || reached.has(path)) return;
    reached.add(path);
    for (const { target } of source.imports) if (target) walk(target);
    for (const target of namedFiles(source)) walk(target);
  };
  for (const path of entries) walk(path);
  return reached;
}

test("no file has a generic name", () => {
  const empty = /^(services?|managers?|helpers?|utils?|common|types|index)$/;
  const violations = sources
    .map(({ path }) => path)
    .filter((path) => {
      const folders = path.split("/").slice(0, -1);
      return [...folders, ...basename(path).split(".")].some((word) => empty.test(word));
    });
  holds(violations, "A file is named after the one question it answers; these names answer none.");
});

test("the import rules detect every form of import", () => {
  const text = [
    'import a from "./a.ts";',
    'import type { B } from "../b.ts";',
    "import {",
    "  c,",
    '} from "@florin/contract/c.ts";',
    'import "./d.ts";',
    'export { e } from "./e.ts";',
    'const f = await import("./f.ts");',
    'export const g = "./not-an-import.ts";',
    'import pg from "pg";',
  ].join("\n");
  assert.deepEqual(
    importsOf("server/src/payments/charges/x.ts", text).map(({ target }) => target),
    [
      "server/src/payments/charges/a.ts",
      "server/src/payments/b.ts",
      "contract/src/c.ts",
      "server/src/payments/charges/d.ts",
      "server/src/payments/charges/e.ts",
      null,
      "server/src/payments/charges/f.ts",
    ],
  );
});
