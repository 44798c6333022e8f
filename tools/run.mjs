// Runs a script of this repository with the Node it is written for, after installing what is missing:
//
//   node tools/run.mjs cli/florin.ts start
//
// With NODE_ENV=production nothing is installed, and nothing is written beside the code.
//
// Plain JavaScript, because this file and `cli/start-node.mjs` must run under any installed version of Node.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  environmentFor,
  exitCodeOf,
  requireNode,
  runInChild,
  say,
  stop,
} from "../cli/start-node.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const projectNode = join(modules, ".bin", "node");
const isProduction = process.env.NODE_ENV === "production";
const [script, ...scriptArguments] = process.argv.slice(2);
/**
 * The program needs only the packages of its own workspaces, about half of all packages. The other scripts are tests and
 * tools, and need all packages.
 */
const isProgram = script?.startsWith("cli/") === true;
/**
 * The file with the hash of the lockfile from which node_modules was installed, and with the packages that were
 * installed (`all` or `program`). It is written after the installation.
 */
const stamp = join(modules, ".florin-installed");

/** The commands of npm that replace files in node_modules, with their aliases. */
const installsPackages =
  /(^|\/)npm(-cli\.js)?[ \0](ci|clean-install|ic|install-clean|install|i|in|add|update|up|uninstall|rm|remove|prune|dedupe)\b/;

/** The signals that end an installation. */
const installSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

const environment = environmentFor(projectNode, join(modules, ".cache", "florin"));

requireNode();
if (!script) stop("Usage: node tools/run.mjs <script> [arguments]");
await waitForNpm();
if (isProduction) requireInstalled();
else if (!isInstalled()) await installOnce();
await runScript();

/** Rejects a missing installation. A service that can install code lets an attacker replace it. */
function requireInstalled() {
  if (existsSync(projectNode) && npmInstalledTheLockfile()) return;
  stop(
    "The packages in node_modules are not those of package-lock.json, and with NODE_ENV=production a start installs nothing. " +
      "As the owner of the code, run: npm ci --omit=dev (docs/operating/production.md#install).",
  );
}

function isInstalled() {
  const packages = installedPackages();
  return packages === "all" || (isProgram && packages === "program");
}

/** Returns which packages of the lockfile are installed: `all`, `program`, or null for neither. */
function installedPackages() {
  if (!existsSync(projectNode)) return null;
  const [hash, packages] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : [];
  if (packages && hash === lockfileHash()) return packages;
  // After a manual `npm ci`, npm's record lists the installed packages.
  if (!npmInstalledTheLockfile()) return null;
  writeStamp("all");
  return "all";
}

function writeStamp(packages) {
  writeFileSync(stamp, `${lockfileHash()} ${packages}`);
}

function lockfileHash() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  return hash.update(`${process.platform}-${process.arch}`).digest("hex");
}

function npmInstalledTheLockfile() {
  const record = join(modules, ".package-lock.json");
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, "utf8")).packages;
  const locked = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return Object.entries(locked).every(([path, { version, optional, devOptional, dev, link }]) => {
    // Workspaces are sources. Packages for other platforms are optional and missing.
    if (!path.startsWith("node_modules/")) return true;
    const mayBeMissing = optional || devOptional || (isProduction && dev);
    if (!(path in installed)) return mayBeMissing === true;
    return link === true || installed[path].version === version;
  });
}

/**
 * Waits until no npm installs packages in this directory. `npm ci` first deletes node_modules. A script that starts at
 * the same moment would lose its files, and two installations would delete each other's files.
 */
async function waitForNpm() {
  for (let announced = null; ; await sleep(200)) {
    const pid = runningNpm();
    if (pid === null) return;
    if (pid !== announced) {
      say(`npm (process ${pid}) is installing packages in ${root}. Waiting for it to finish.`);
    }
    announced = pid;
  }
}

/**
 * Returns the ID of an npm process that installs packages in this directory, or null. Finds only processes of this
 * user, and only on Linux, because other systems have no `/proc`.
 */
function runningNpm() {
  const pids = existsSync("/proc/self") ? readdirSync("/proc") : [];
  const here = realpathSync(root);
  for (const pid of pids) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== here) continue;
      if (installsPackages.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"))) return pid;
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return null;
}

/** Installs while holding a lock, so that two concurrent commands do not destroy each other's work. */
async function installOnce() {
  const unlock = await lock();
  // Releases the lock even if the installation fails and exits the process.
  process.once("exit", unlock);
  await waitForNpm();
  if (!isInstalled()) await install();
  unlock();
}

async function install() {
  const startedAt = Date.now();
  // `npm ci` deletes node_modules, in which the program may be running. `npm install` only adds what is missing.
  const isAddition = installedPackages() === "program";
  say(
    isAddition
      ? "Installing the packages of the tests and tools into node_modules. This happens once and takes one to two minutes."
      : "Installing Florin's packages, Node and PostgreSQL into node_modules. This happens once and takes one to three minutes.",
  );
  // npm shows no progress bar in a log that is not a terminal, so a line is printed every 15 s.
  const progressTimer = setInterval(
    () => say(`… still installing (${seconds(startedAt)}).`),
    15_000,
  );
  // Shows errors only. npm would warn that the Node that runs npm is too old for packages that never run under that
  // Node.
  const command = isAddition ? ["install", "--no-save"] : ["ci"];
  if (isProgram)
    command.push(...programWorkspaces().map((directory) => `--workspace=${directory}`));
  const code = await npm([...command, "--no-audit", "--no-fund", "--loglevel=error"]);
  clearInterval(progressTimer);
  for (const signal of installSignals) process.removeAllListeners(signal);
  if (code !== 0) {
    stop(
      "The packages could not be installed. npm's output above has the reason. Nothing was started.",
      code,
    );
  }
  if (!existsSync(projectNode)) {
    stop(
      "npm installed the packages without running their install scripts, so Florin's Node is missing. " +
        "Allow install scripts (check: npm config get ignore-scripts) and try again.",
    );
  }
  writeStamp(isProgram ? "program" : "all");
  fillCompileCache();
  say(`Installed in ${seconds(startedAt)}.`);
}

/** Returns the directories of the program's workspace and of all workspaces that it depends on. */
function programWorkspaces() {
  const directories = new Map();
  for (const directory of readPackage(root).workspaces) {
    directories.set(readPackage(join(root, directory)).name, directory);
  }
  const found = new Set(["cli"]);
  for (const directory of found) {
    const { dependencies, devDependencies } = readPackage(join(root, directory));
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      if (directories.has(name)) found.add(directories.get(name));
    }
  }
  return [...found];
}

function readPackage(directory) {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
}

/**
 * Fills Node's compile cache. Each start is then a second faster, and the service uses 25 MB less memory because it
 * does not load the TypeScript parser.
 */
function fillCompileCache() {
  const program = "cli/florin.ts";
  const command = [...flagsFor(program), join(root, program), "help"];
  spawnSync(projectNode, command, { stdio: "ignore", env: environment });
}

function npm(args) {
  // The npm that started this process, or the one on the path.
  const cli = process.env.npm_execpath;
  const [file, before] = cli?.endsWith(".js") ? [process.execPath, [cli]] : ["npm", []];
  // Forwards the signals and exits only after npm, because the lock must name a running process while npm writes. The
  // handlers are installed before npm starts, so that no signal ends only this process.
  for (const signal of installSignals) process.on(signal, () => child.kill(signal));
  const child = spawn(file, [...before, ...args], { cwd: root, stdio: "inherit" });
  return new Promise((ended) => {
    child.once("error", (error) => stop(`npm could not be started: ${error.message}`));
    child.once("exit", (code, signal) => ended(signal ? exitCodeOf(signal) : code));
  });
}

/**
 * Takes the lock: a file that names the installing process. A hard link creates it atomically. The lock of a dead
 * process is removed.
 */
async function lock() {
  const directory = join(root, ".florin-install");
  const file = join(directory, "lock");
  const ownFile = join(directory, String(process.pid));
  mkdirSync(directory, { recursive: true });
  writeFileSync(ownFile, String(process.pid));
  for (let announced = false; ; await sleep(200)) {
    try {
      linkSync(ownFile, file);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = readOrNull(file);
    if (holder !== null && !isAlive(Number(holder))) removeStaleLock(file, holder, directory);
    else if (!announced) {
      announced = true;
      say("Another command is installing the packages. Waiting for it to finish.");
    }
  }
  return () => {
    rmSync(file, { force: true });
    rmSync(ownFile, { force: true });
    try {
      rmdirSync(directory);
    } catch {
      // Another process has a file in the directory. The last process removes the directory.
    }
  };
}

/** Removes a stale lock. The rename succeeds for one process only. If it moved a newer lock, that lock is restored. */
function removeStaleLock(file, holder, directory) {
  const aside = join(directory, `stale-${process.pid}`);
  try {
    renameSync(file, aside);
    if (readOrNull(aside) !== holder) linkSync(aside, file);
  } catch {
    // Another process has removed the lock.
  }
  rmSync(aside, { force: true });
  rmSync(join(directory, holder), { force: true });
}

function readOrNull(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

async function runScript() {
  const command = [...flagsFor(script), resolve(root, script), ...scriptArguments];
  // npm puts the project's Node first on the path. From the second start on, this process already runs under that Node
  // and replaces itself with the script. Signals then reach the script directly.
  if (process.execve && realpathSync(projectNode) === process.execPath) {
    process.execve(process.execPath, [process.execPath, ...command], environment);
  }
  runInChild(projectNode, command, environment);
}

/**
 * Returns the memory flags of the service. With its defaults, Node lets garbage grow to twice the memory limit of the
 * whole server before a collection (docs/operating/performance.md).
 */
function flagsFor(script) {
  if (!script.startsWith("cli/")) return [];
  return JSON.parse(readFileSync(join(root, "cli/node-flags.json"), "utf8"));
}

function seconds(startedAt) {
  return `${Math.round((Date.now() - startedAt) / 1000)} s`;
}
