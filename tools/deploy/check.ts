import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { DockerfileParser } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { createSecrets } from "../../server/src/app/secrets.ts";
import { systemClock } from "../../server/src/core/clock.ts";
import { prepareDemo } from "../../server/src/demo.ts";
import { connectDatabase } from "../../server/src/platform/database/database.ts";
import { freePort, startEmbeddedPostgres } from "../../server/src/platform/database/embedded.ts";
import { endProcess } from "../../server/src/platform/processes/end-process.ts";
import { createLocalKeyProvider } from "../../server/src/vault/local-key-provider.ts";
import {
  bootstrapDebian,
  debian as clusterDebian,
} from "../../server/test/failover/debian-tree.ts";
import { pack, packagesDirectory } from "../release/pack.ts";
import { root } from "../source-tree.ts";
import { startContainer } from "./container.ts";
import { command, type Image, runImageSteps, writeNodeLayer } from "./image-steps.ts";

/**
 * `npm run deploy:check` lints the files of `deploy/` with each linter that this machine has, and executes the steps of
 * the Dockerfile in a clean Debian, up to a charge by a service without root on a read-only file system. A check that
 * cannot run is skipped with the reason. Needs root on Debian for the image.
 */
const deploy = join(root, "deploy");
const dockerfiles = ["deploy/Dockerfile", "deploy/ha/Dockerfile"];
const unit = join(deploy, "systemd/florin.service");
/** The directory of a Debian 12, which the check uses in place of the Dockerfile's base images below. */
const slimDebian = "/var/lib/florin-test/debian-12-slim";
const baseImage = "debian:bookworm-slim";
const nodeImage = "node:26-bookworm-slim";
/** `systemd-analyze security` rates a service from 0 (safe) to 10. */
const maxExposure = 2;

/** Thrown by a check that cannot run on this machine. */
class Skip extends Error {}

const { values } = parseArgs({ options: { inside: { type: "boolean", default: false } } });
if (values.inside) endProcess(await run());
else process.exitCode = await runInside();

/** Runs this script again in its own mount and process namespaces, which end all mounts and processes of the check. */
async function runInside(): Promise<number> {
  await pack();
  const isRoot = process.getuid?.() === 0;
  if (isRoot && !existsSync(slimDebian)) {
    console.log("Installing Debian 12. This happens once and takes about a minute.");
    await bootstrapDebian(slimDebian, "bookworm", []);
  }
  const self = [process.execPath, ...process.execArgv, import.meta.filename, "--inside"];
  const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const [file, ...args] = (isRoot ? ["unshare", ...namespaces, ...self] : self) as [string];
  return spawnSync(file, args, { stdio: "inherit" }).status ?? 1;
}

async function run(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "florin-image-"));
  let image: Image | null = null;
  let failures = 0;
  const check = async (name: string, work: () => Promise<string> | string) => {
    try {
      console.log(`passed   ${name}: ${await work()}`);
    } catch (error) {
      const { message } = error as Error;
      if (!(error instanceof Skip)) failures++;
      console.log(`${error instanceof Skip ? "skipped" : "FAILED "}  ${name}: ${message}`);
    }
  };
  await check("dockerfile-utils", lintDockerfiles);
  await check("hadolint", () => tool("hadolint", ["--version"], [dockerfiles]));
  await check("shellcheck", checkShell);
  await check("docker compose config", checkCompose);
  await check("helm lint", () =>
    tool("helm", ["version"], [["lint", "--strict", "deploy/helm/florin"]]),
  );
  await check("haproxy -c", checkHaproxy);
  await check("patroni --validate-config", checkPatroni);
  await check("image steps", () => {
    image = buildImage(directory);
    return `${sizeOf(image)} MB`;
  });
  await check("container", () => runContainer(requireImage(image), directory));
  await check("systemd-analyze verify", () => verifyUnit(requireImage(image)));
  await check("systemd-analyze security", rateUnit);
  await rm(directory, { recursive: true, force: true }).catch(() => undefined);
  return failures === 0 ? 0 : 1;
}

/** Runs an installed tool once for each list of arguments. */
function tool(name: string, version: readonly string[], runs: readonly (readonly string[])[]) {
  requireTool(name, version);
  for (const args of runs) spawnOrThrow(name, args);
  return "no problem";
}

function requireTool(name: string, version: readonly string[]): void {
  if (spawnSync(name, version).status === 0) return;
  throw new Skip(`\`${name}\` is not installed. Install it and run the command again.`);
}

function spawnOrThrow(name: string, args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync(name, args, { cwd: root, encoding: "utf8", input });
  if (status !== 0) throw new Error(stdout + stderr);
  return stdout + stderr;
}

function lintDockerfiles(): string {
  for (const path of dockerfiles) {
    assert.deepEqual(validate(readFileSync(join(root, path), "utf8")), [], path);
  }
  return `${dockerfiles.length} files without a problem`;
}

/**
 * Checks the scripts in RUN instructions with shellcheck. hadolint would also run shellcheck, but may not be installed.
 */
function checkShell(): string {
  requireTool("shellcheck", ["--version"]);
  const scripts = dockerfiles.flatMap((path) =>
    DockerfileParser.parse(readFileSync(join(root, path), "utf8"))
      .getInstructions()
      .filter((instruction) => instruction.getKeyword() === "RUN")
      .map((instruction) => instruction.getArgumentsContent() ?? ""),
  );
  for (const script of scripts) spawnOrThrow("shellcheck", ["--shell=sh", "-"], script);
  return `${scripts.length} scripts without a problem`;
}

function checkCompose(): string {
  requireTool("docker", ["compose", "version"]);
  for (const file of ["deploy/compose.yaml", "deploy/ha/compose.yml"]) {
    const { status, stderr } = spawnSync(
      "docker",
      ["compose", "--file", file, "config", "--quiet"],
      {
        cwd: root,
        encoding: "utf8",
        env: {
          ...process.env,
          POSTGRES_PASSWORD: "x",
          FLORIN_PUBLIC_URL: "https://pay.example.com",
        },
      },
    );
    if (status !== 0) throw new Error(stderr);
  }
  return "no problem";
}

/**
 * Runs a program in the Debian that `npm run failover` installs. The files of deploy/ha/ are mounted at the paths where
 * a server has them.
 */
function inClusterDebian(line: string): string {
  if (!existsSync(clusterDebian) || process.getuid?.() !== 0) {
    throw new Skip("needs root, and the Debian 13 that `npm run failover` installs.");
  }
  const files = join(clusterDebian, "mnt");
  command(["mount", "--bind", join(deploy, "ha"), files]);
  try {
    return command(["chroot", clusterDebian, "sh", "-c", line]);
  } finally {
    command(["umount", files]);
  }
}

function checkHaproxy(): string {
  inClusterDebian("set -a && . /mnt/haproxy.env && haproxy -c -f /mnt/haproxy.cfg");
  return "deploy/ha/haproxy.cfg is valid";
}

function checkPatroni(): string {
  const line =
    "set -a && . /mnt/node.env && patroni --validate-config /mnt/patroni.yml 2>&1 || true";
  const problems = inClusterDebian(line)
    .split("\n")
    // Patroni 4.0 supports the mode `quorum`, but its configuration check rejects it.
    .filter((text) => text.trim() !== "" && !/synchronous_mode quorum is not a boolean/.test(text));
  assert.deepEqual(problems, []);
  return "deploy/ha/patroni.yml is valid";
}

function buildImage(directory: string): Image {
  if (!existsSync(slimDebian)) throw new Skip("only root can execute the steps of the image.");
  const npm = realpathSync(command(["sh", "-c", "command -v npm"]).trim());
  const node = join(directory, "node");
  writeNodeLayer(node, realpathSync(process.execPath), dirname(dirname(npm)));
  // Copies this library, because the Node image contains it and a slim Debian does not.
  const [, library] = /=> (\S*libatomic\.so\.1)/.exec(command(["ldd", process.execPath])) ?? [];
  if (library) {
    const file = realpathSync(library);
    const place = join(node, dirname(file));
    mkdirSync(place, { recursive: true });
    command(["cp", file, join(place, "libatomic.so.1")]);
  }
  const network = join(directory, "network");
  mkdirSync(join(network, "etc"), { recursive: true });
  command(["cp", "/etc/resolv.conf", join(network, "etc/resolv.conf")]);
  return runImageSteps({
    dockerfile: join(deploy, "Dockerfile"),
    context: packagesDirectory,
    directory,
    bases: { [baseImage]: [slimDebian], [nodeImage]: [node, network, slimDebian] },
    environment: certificates(join(network, "etc")),
  });
}

/** Makes npm in the image trust the certificate authority that the environment variables of this process name. */
function certificates(directory: string): Record<string, string> {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (!file) return {};
  command(["cp", file, join(directory, "ca.pem")]);
  return { NODE_EXTRA_CA_CERTS: "/etc/ca.pem", npm_config_cafile: "/etc/ca.pem" };
}

function requireImage(image: Image | null): Image {
  if (!image) throw new Skip("there is no image.");
  return image;
}

function sizeOf({ root: place }: Image): string {
  return command(["du", "-sxm", place]).split("\t")[0] ?? "";
}

async function runContainer(image: Image, directory: string): Promise<string> {
  const postgres = await startEmbeddedPostgres({
    directory: join(directory, "database"),
    log: () => undefined,
  });
  try {
    const url = new URL(postgres.url);
    url.search = "";
    const port = await freePort();
    const settings = {
      DATABASE_URL: url.href,
      PORT: String(port),
      METRICS_PORT: String(await freePort()),
    };
    const container = await startContainer(image, directory, settings, "Florin is ready.");
    const keys = container.volumes.get(image.environment.FLORIN_KEYS ?? "") ?? "";
    const secretKey = await createMerchant(url.href, keys, directory);
    assert.equal(await charge(port, secretKey), "succeeded");
    const [user] = image.user.split(":");
    assert.equal(container.status("Uid"), user);
    assert.equal(container.status("CapEff"), "0000000000000000");
    assert.equal(container.status("NoNewPrivs"), "1");
    assert.match(container.run(["touch", "/opt/florin/x"]).output, /Read-only file system/);
    const healthy = image.healthCheck.map((part) => part.replace("4242", String(port)));
    assert.equal(container.run(healthy).code, 0, "the health check of a running service");
    const verified = container.run(["florin", "verify"]);
    assert.equal(verified.code, 0, verified.output);
    assert.notEqual(
      container.run(["sh", "-c", "command -v npm"]).code,
      0,
      "the image contains npm",
    );
    assert.equal(await container.stop(), 0, "the exit code after SIGTERM");
    return `a charge succeeded as the user ${user}, without capabilities, on a read-only root`;
  } finally {
    await postgres.stop();
  }
}

/**
 * Creates a merchant in test mode and returns its secret key. A service in production does not create one at its start.
 */
async function createMerchant(url: string, keysDirectory: string, data: string): Promise<string> {
  const database = connectDatabase({ url, poolSize: 2, onIdleError: () => undefined });
  const keys = createLocalKeyProvider(keysDirectory);
  const { hashKey } = await createSecrets(keys);
  const deps = { database, clock: systemClock, keys, hashKey };
  const { test_secret_key } = await prepareDemo(deps, data, null);
  await database.close();
  return test_secret_key;
}

async function charge(port: number, secretKey: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/charges`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secretKey}`,
      "content-type": "application/json",
      "idempotency-key": "first",
    },
    body: '{"amount":1999,"currency":"usd","payment_method_id":"pm_card_visa"}',
  });
  return ((await response.json()) as { status: string }).status;
}

/**
 * Verifies the unit in the root directory where the package is installed, because systemd checks that the command of
 * the unit exists.
 */
function verifyUnit({ root: place }: Image): string {
  requireTool("systemd-analyze", ["--version"]);
  command(["mount", "-t", "tmpfs", "tmpfs", "/opt"]);
  mkdirSync("/opt/florin");
  command(["mount", "--bind", join(place, "opt/florin"), "/opt/florin"]);
  const output = spawnOrThrow("systemd-analyze", ["verify", unit]);
  assert.equal(output, "");
  return "no problem";
}

function rateUnit(): string {
  requireTool("systemd-analyze", ["--version"]);
  const threshold = `--threshold=${maxExposure * 10}`;
  const output = spawnOrThrow("systemd-analyze", ["security", "--offline=yes", threshold, unit]);
  return /Overall exposure level.*?: ([\d.]+)/.exec(output)?.[1] ?? output;
}
