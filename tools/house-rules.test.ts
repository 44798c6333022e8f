import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { test } from "node:test";
import {
  importsOf,
  isTest,
  namedFiles,
  readSources,
  root,
  runningCode,
  type Source,
  withoutComments,
} from "./source-tree.ts";
import { expectedName } from "./test-needs.ts";

const sources = readSources();
const byPath = new Map(sources.map((source) => [source.path, source]));
const serverSources = sources.filter(({ path }) => path.startsWith("server/src/"));
const serverCode = serverSources.filter(({ path }) => !isTest(path));

function assertNone(violations: readonly string[], reason: string): void {
  assert.equal(violations.length, 0, `${reason}\n  ${violations.join("\n  ")}\n`);
}

function readPackage(directory: string) {
  return JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8"));
}

/** The modules of the server in import order. Each module may import only itself and the modules before it. */
const order = [
  "core",
  "platform/tracing",
  "platform/processes",
  "platform/database",
  "platform/conditions",
  "platform/jobs",
  "platform/partitions",
  "platform/changes",
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
  "payments/card-verifications",
  "payments/three-d-secure",
  "payments/disputes",
  "payments/operations",
  "payments/receipts",
  "payments/inquiries",
  "payments/notifications",
  "payments/balance",
  "payments/payouts",
  "payments/settlements",
  "payments/checkout",
  "payments/test-clock",
  "reconciliation",
  "insights/notifications",
  "insights/saved-views",
  "insights/metrics",
  "insights/request-log",
  "insights/search",
  "insights/timeline",
  "insights/verify",
  "insights/monitoring",
  "admin/account-settings",
  "admin/settings-copy",
  "admin/underwriting",
  "admin/operator",
  "admin/connections",
  "admin/wallets",
  "admin/retention",
  "config.ts",
  "log.ts",
  "demo.ts",
  "app/dashboard",
  "app/docs",
  "app",
  "app.ts",
  "main.ts",
  "worker-process.ts",
  "server-processes.ts",
];

/**
 * Returns the module of a file in `server/src/`. The module is the folder of the file, such as `payments/charges`. For
 * a file outside the folders, it is the name of the file, such as `app.ts`. A test has the module of the tested file.
 */
function moduleOf(path: string): string {
  const name = path.slice("server/src/".length).replace(/(\.db|\.api)?\.test\.ts$/, ".ts");
  const [first = "", second = ""] = name.split("/");
  return order.includes(`${first}/${second}`) ? `${first}/${second}` : first;
}

test("every server file belongs to a module in the import order", () => {
  assertNone(
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
  assertNone(
    violations,
    "Imports go one way, so that each module can be understood with only those before it. A module declares what it " +
      "needs from a later one as a separate type, and app/ passes it in.",
  );
});

test("the server has at most 13 folders, and at most 90 import edges between them", () => {
  const folderOf = (path: string) => path.split("/").slice(2, -1)[0] ?? "";
  const folders = new Set(serverSources.map(({ path }) => folderOf(path)));
  folders.delete("");
  const edges = new Set(
    serverCode.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target?.startsWith("server/src/"))
        .map(({ target }) => `${folderOf(path)} → ${folderOf(target as string)}`)
        .filter((edge) => !/^ | $/.test(edge) && !/^(.+) → \1$/.test(edge)),
    ),
  );
  assert.ok(folders.size <= 13, `${folders.size} folders: ${[...folders].join(", ")}`);
  assert.ok(edges.size <= 90, `${edges.size} edges: ${[...edges].join(", ")}`);
});

test("bodies and queries are validated in one place, which also rejects card data", () => {
  const violations = serverCode
    .filter(({ path }) => !isTest(path) && path !== "server/src/platform/http/read-request.ts")
    .filter(({ imports }) => imports.some(({ target }) => target === "contract/src/violation.ts"))
    .map(({ path }) => path);
  assertNone(
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
  assertNone(
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
  "docs-site": ["contract", "dashboard", "server"],
  sdk: ["contract"],
  simulator: ["contract", "server"],
  fakes: [],
  cli: ["contract", "dashboard", "docs-site", "embed", "examples", "sdk", "server", "simulator"],
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
  assertNone(
    violations,
    "Every workspace depends on the contract, so the contract must depend on none. A published package must not depend on the server.",
  );
});

test("a workspace declares the packages that its code imports", () => {
  const directories: readonly string[] = readPackage("").workspaces;
  const violations = directories.flatMap((directory) => {
    const {
      name: ownName,
      dependencies,
      devDependencies,
      peerDependencies,
    } = readPackage(directory);
    const declared = { ...dependencies, ...devDependencies, ...peerDependencies };
    return sources
      .filter(({ path }) => path.startsWith(`${directory}/`) && !isTest(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ specifier }) => !specifier.startsWith(".") && !isBuiltin(specifier))
          .map(({ specifier }) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] as string)
          .filter((name) => name !== ownName && !Object.hasOwn(declared, name))
          .map((name) => `${path} imports ${name}`),
      );
  });
  assertNone(
    violations,
    "`npm start` installs only the packages that the program's workspaces declare. An undeclared package is missing on a new machine.",
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
  assertNone(
    violations,
    "Card data is entered only inside our frame (docs/operating/card-data.md). The script on the merchant's page must not contain code that handles it.",
  );
});

test("the dashboard imports only types from the contract's schemas", () => {
  const plain = [
    "permissions.ts",
    "roles.ts",
    "declines.ts",
    "audit-actions.ts",
    "password.ts",
    "country-codes.ts",
    "minor-units.ts",
    "color-contrast.ts",
    "notification-topics.ts",
    "evidence-fields.ts",
    "display-status.ts",
    "wallet-names.ts",
  ];
  const violations = sources
    .filter(({ path }) => path.startsWith("dashboard/src/") && !isTest(path))
    .flatMap((source) =>
      [...runningCode(source).matchAll(/from "@florin\/contract\/([^"]+)"/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !plain.includes(name))
        .map((name) => `${source.path} imports a value from ${name}`),
    );
  assertNone(
    violations,
    "Importing a schema adds TypeBox to the bundle, which is 30 KB. Import its type instead. Repeat a list of names if " +
      "the dashboard needs it: the type checker compares the list with the schema's type.",
  );
});

test("there are no import cycles", () => {
  assertNone(
    findCycles(),
    "Files in an import cycle cannot be understood, tested or loaded separately. Move what both need into a separate file.",
  );
});

/** Searches depth-first. A file that is visited while it is on the stack closes a cycle. */
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
    // Excluded, because the examples in the documentation contain `process.env` as text.
    .filter(({ path }) => path !== "server/src/app/docs/snippets.ts")
    .filter((source) => /\bprocess\.env\b/.test(runningCode(source)))
    .map(({ path }) => path);
  assertNone(
    violations,
    "config.ts validates and documents every setting. A variable that is read elsewhere is neither validated nor documented.",
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
  assertNone(
    violations,
    "Pass a Clock or a Date, so that tests can stop the time and a merchant's test clock can advance it.",
  );
});

test("nothing in the server calls Math.random", () => {
  const violations = serverCode
    .filter((source) => /\bMath\.random\b/.test(runningCode(source)))
    .map(({ path }) => path);
  assertNone(
    violations,
    "Math.random is predictable. Use node:crypto for secrets, IDs and jitter.",
  );
});

test("the last value of a sequence is read under the sequence's lock", () => {
  const violations = serverCode
    .filter((source) => /\blast_value\b/.test(withoutComments(source)))
    .map(({ path }) => path);
  assertNone(
    violations,
    "`select last_value` can return a value that no transaction has taken. Call pg_sequence_last_value.",
  );
});

test("only connectors.ts imports the folder of a connector", () => {
  const registry = "server/src/acquiring/connectors.ts";
  const folderOf = (path: string) => /^server\/src\/acquiring\/[^/]+\//.exec(path)?.[0] ?? null;
  const targetsOf = ({ imports }: Source) => imports.flatMap(({ target }) => target ?? []);
  const folders = new Set(
    targetsOf(byPath.get(registry) as Source).flatMap((target) => folderOf(target) ?? []),
  );
  assert.ok(folders.size > 0);
  const violations = serverCode
    .filter(({ path }) => path !== registry)
    .flatMap((source) =>
      targetsOf(source)
        .map((target) => ({ target, folder: folderOf(target) }))
        .filter(({ folder }) => folder !== null && folders.has(folder))
        .filter(({ folder }) => folder !== folderOf(source.path))
        .map(({ target }) => `${source.path} imports ${target}`),
    );
  assertNone(
    violations,
    "Add the function to Connector, so that the service works with every acquirer (docs/decisions/0075-each-acquirer-is-one-connector.md).",
  );
});

test("only vault/, acquiring/ and the simulator import CardNumber", () => {
  const violations = sources
    .filter(({ path }) => path !== "tools/house-rules.test.ts")
    .filter(({ path }) => !/^(?:server\/src\/(?:vault|acquiring)|simulator\/src)\//.test(path))
    .filter((source) => /\bCardNumber\b/.test(withoutComments(source)))
    .map(({ path }) => path);
  assertNone(
    violations,
    "PCI DSS applies to all code that handles card numbers, so this code is limited to a few folders.",
  );
});

test("only vault/ and acquiring/ reveal a card number or name the message field with it", () => {
  const violations = serverCode
    .filter(({ path }) => !/^server\/src\/(vault|acquiring)\//.test(path))
    .filter((source) => /\bacctNumber\b|\.reveal\(\)/.test(withoutComments(source)))
    .map(({ path }) => path);
  assertNone(
    violations,
    "Other code may pass a CardNumber on. Its digits are read only where they are encrypted or sent to an acquirer.",
  );
});

test("every server file is reachable from an entry point", () => {
  const entries = sources
    .map(({ path }) => path)
    .filter((path) => path === "server/src/main.ts" || /^(cli|bench|tools)\//.test(path))
    .filter((path) => !isTest(path));
  const alive = reachedFrom(entries);
  assertNone(
    serverCode.map(({ path }) => path).filter((path) => !alive.has(path)),
    "Delete a file that nothing starts or imports. Name a file that only tests use *.fixture.ts, or move it to " +
      "server/test/.",
  );
});

test("every fixture is used by a test", () => {
  const tests = sources.map(({ path }) => path).filter((path) => /\.test\.tsx?$/.test(path));
  const alive = reachedFrom([...tests, ...sources.map(({ path }) => path).filter(isTool)]);
  assertNone(
    sources.map(({ path }) => path).filter((path) => isTest(path) && !alive.has(path)),
    "Delete a fixture that no test uses.",
  );
});

test("the suffix of a test file says what the test needs", () => {
  const violations = sources
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .map((source) => [source.path, expectedName(source, byPath)])
    .filter(([path, expected]) => path !== expected)
    .map(([path, expected]) => `${path} should be named ${expected}`);
  assertNone(
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
  assertNone(
    sources
      .map(({ path }) => path)
      .filter((path) => path.endsWith(".journey.ts") && runs(path) !== 1),
    "Import every journey in exactly one test file. Otherwise it does not run, or it runs twice.",
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
  assertNone(violations, "Name a file after the one question that it answers.");
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
