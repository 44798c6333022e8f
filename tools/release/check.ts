import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { versions } from "../../contract/src/versions.ts";
import { endProcess } from "../../server/src/platform/processes/end-process.ts";
import { pack } from "./pack.ts";
import { digest } from "./provenance.ts";

/**
 * `npm run release:check` builds the packages twice and compares the builds. It then installs `florin` from its tarball
 * in an empty folder, starts it and makes a charge. It prints the time of each step, and fails if a promise of a
 * release is broken.
 */
const maxSecondsToFirstCharge = 60;
/** Packages that only developers need. A production installation must have none of them. */
const developmentPackages =
  /^(vite|esbuild|rollup|rolldown|typescript|tailwindcss|playwright.*|puppeteer.*|chromium.*|lighthouse|fast-check|axe-core|@biomejs\/.*|react|preact)$/;

const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(1);

async function checkReproducible(): Promise<string> {
  const first = (await pack()).map((file) => [basename(file), digest("sha256", file)]);
  const files = await pack();
  const second = files.map((file) => [basename(file), digest("sha256", file)]);
  assert.deepEqual(second, first, "two builds of the same sources differ");
  console.log(`reproducible: ${files.length} files are byte-identical in two builds`);
  return files.find((file) => basename(file).startsWith("florin-0")) as string;
}

/** Starts npx in the folder as a new user would, and returns when the service has printed its example requests. */
async function start(folder: string, environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn("npx", ["florin", "start"], {
    cwd: folder,
    env: { ...environment, PORT: "0", SHOP_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    if (/curl /.test(printed)) return child;
  }
  throw new Error(`florin start ended: ${printed}`);
}

async function firstCharge(folder: string): Promise<string> {
  const ready = JSON.parse(await readFile(join(folder, ".florin/ready.json"), "utf8"));
  const response = await fetch(`${ready.base_url}/api/v1/charges`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${ready.test_secret_key}`,
      "content-type": "application/json",
      "idempotency-key": "first",
    },
    body: '{"amount":1999,"currency":"usd","payment_method_id":"pm_card_visa"}',
  });
  const { status } = (await response.json()) as { status: string };
  for (const path of ["/embed.js", "/dashboard", "/docs", "/docs/guides/accept-a-payment"]) {
    const page = await fetch(`${ready.base_url}${path}`);
    assert.equal(page.status, 200, path);
    await page.arrayBuffer();
  }
  return status;
}

async function installedPackages(folder: string): Promise<string[]> {
  const record = await readFile(join(folder, "node_modules/.package-lock.json"), "utf8");
  return Object.keys(JSON.parse(record).packages);
}

const tarball = await checkReproducible();
const folder = await mkdtemp(join(tmpdir(), "florin-empty-"));
try {
  // Removes the repository's folders from PATH, as in a new user's shell.
  const path = (process.env.PATH ?? "").split(":").filter((part) => !part.includes("node_modules"));
  const environment = { PATH: path.join(":"), HOME: process.env.HOME ?? folder };
  const run = (file: string, args: string[]) =>
    execFileSync(file, args, {
      cwd: folder,
      env: environment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
  const began = performance.now();
  await writeFile(join(folder, "package.json"), "{}");
  // Installs without running install scripts, because a user's npm may be configured to run none.
  run("npm", [
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    tarball,
  ]);
  console.log(`install: ${seconds(began)} s`);
  const started = performance.now();
  const service = await start(folder, environment);
  try {
    console.log(`start: ${seconds(started)} s`);
    assert.equal(await firstCharge(folder), "succeeded");
    const total = Number(seconds(began));
    console.log(`first charge ${total} s after the start of the installation`);
    assert.ok(total <= maxSecondsToFirstCharge, `more than ${maxSecondsToFirstCharge} s`);
  } finally {
    // Sends signals to the service itself, because npx ends at a signal without waiting for its command.
    const { pid } = JSON.parse(await readFile(join(folder, ".florin/ready.json"), "utf8"));
    process.kill(pid, "SIGTERM");
    if (service.exitCode === null) await once(service, "exit");
  }
  assert.match(run("npx", ["florin", "--version"]), new RegExp(`^florin ${versions.service} `));
  const installed = await installedPackages(folder);
  const names = installed.map((place) => place.replace(/^.*node_modules\//, ""));
  assert.deepEqual(
    names.filter((name) => developmentPackages.test(name)),
    [],
  );
  console.log(run("npx", ["florin", "doctor"]).trim().split("\n").at(-1));
  const bill = JSON.parse(
    await readFile(join(folder, "node_modules/florin/florin.cdx.json"), "utf8"),
  );
  const listed = new Set(bill.components.map(({ name }: { name: string }) => name));
  assert.deepEqual(
    names.filter((name) => !listed.has(name)),
    [],
    "not in the bill of materials",
  );
  const size = run("du", ["-sm", "node_modules"]).split("\t")[0];
  console.log(`installed: ${names.length} packages, ${size} MB, none for development`);
  const left = await readdir(folder);
  console.log(`files in the folder: ${left.sort().join(", ")}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
endProcess(0);
