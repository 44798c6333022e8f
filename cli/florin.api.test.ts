import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { versions } from "@florin/contract/versions.ts";
import { unreachableService } from "./running-service.ts";

function florin(
  arguments_: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  user: { readonly uid?: number; readonly gid?: number } = {},
) {
  const file = join(import.meta.dirname, "florin.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...arguments_], {
    encoding: "utf8",
    ...user,
    env: { ...process.env, ...settings },
  });
  return { status, stdout, stderr };
}

/**
 * Runs a command like `florin`, but does not block this process, so that a server in this process can respond to the
 * command.
 */
function florinAsync(arguments_: readonly string[]) {
  const file = join(import.meta.dirname, "florin.ts");
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [file, ...arguments_],
      { timeout: 120_000 },
      (error, stdout, stderr) => resolve({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test("an error that the user can fix is printed without a stack trace", () => {
  const unusedPort = ["--url", "http://127.0.0.1:2", "--key", "sk_test_x"];
  for (const [words, ...arguments_] of [
    [
      "--stuck-after must be a number of seconds from 0 to 31536000. Got 'soon'.",
      "verify",
      "--stuck-after",
      "soon",
    ],
    [
      "--stuck-after must be a number of seconds from 0 to 31536000. Got 'Infinity'.",
      "verify",
      "--stuck-after",
      "Infinity",
    ],
    [
      "--since must be a time in the past. Got '2999-01-01T00:00:00Z'.",
      "verify",
      "--since",
      "2999-01-01T00:00:00Z",
    ],
    [
      "--day must be a date such as 2026-01-31. Got '2026-02-31'.",
      "reconcile",
      "--day",
      "2026-02-31",
    ],
    [
      "'toString' cannot be triggered. Specify one or more of: payment.succeeded, payment_failed, payment.authorized, payment.requires_action, checkout_session.expired, ping.",
      "trigger",
      "toString",
    ],
    ["Use either --run or --check, not both.", "retain", "--run", "--check"],
    ["Specify only one directory.", "backup", "a", "b"],
    [
      "Specify an action and one email address. Run: florin operator add EMAIL, or: florin operator reset EMAIL.",
      "operator",
      "add",
      "ada@example.com",
      "bob@example.com",
    ],
    [
      "--amount must be an integer in the currency's smallest unit, such as 1999. Got '19.99'.",
      "trigger",
      "ping",
      "--amount",
      "19.99",
    ],
    [
      "--url must be a URL without a path, such as http://localhost:4242. Got 'localhost:4242'.",
      "trigger",
      "ping",
      "--url",
      "localhost:4242",
    ],
    [
      "No service responds at http://127.0.0.1:2 (ECONNREFUSED). Start the service, or set another --url.",
      "trigger",
      "ping",
      ...unusedPort,
    ],
    [
      "No service responds at http://127.0.0.1:2 (ECONNREFUSED). Start the service, or set another --url.",
      "listen",
      ...unusedPort,
    ],
    [
      "--url must be a URL without a path, such as http://localhost:4242. Got 'http://127.0.0.1:2/dashboard'.",
      "listen",
      "--url",
      "http://127.0.0.1:2/dashboard",
    ],
    ["--key must be an API key, such as sk_test_….", "listen", "--key", "sk_test_ü"],
  ]) {
    assert.deepEqual(florin(arguments_), { status: 1, stdout: "", stderr: `${words}\n` });
  }
});

test("listen and trigger explain a response that is not Florin's, and an expired certificate", async (t) => {
  const web = createServer((request, response) => {
    const isRedirected = request.headers.authorization === "Bearer redirect";
    const headers = isRedirected
      ? { location: "https://pay.example.com/" }
      : { "content-type": "text/html" };
    response.writeHead(isRedirected ? 301 : 200, headers).end("<p>Hello</p>");
  }).listen(0, "127.0.0.1");
  t.after(() => web.close());
  await once(web, "listening");
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  for (const command of [["listen"], ["trigger", "payment.succeeded"]]) {
    const run = (key: string) => florinAsync([...command, "--url", url, "--key", key]);
    assert.deepEqual(await run("html"), {
      status: 1,
      stdout: "",
      stderr: `The response of ${url} is not one of Florin's API (status 200). Check the service and its proxy, or set another --url.\n`,
    });
    assert.deepEqual(await run("redirect"), {
      status: 1,
      stdout: "",
      stderr: `${url} redirects to https://pay.example.com/. Set --url to the URL of the service.\n`,
    });
  }
  const expired = Object.assign(new TypeError("fetch failed"), {
    cause: { code: "CERT_HAS_EXPIRED" },
  });
  assert.match(
    unreachableService("https://pay.example.com", expired).message,
    /^The certificate of https:\/\/pay\.example\.com has expired .* Renew the certificate\./,
  );
});

test("trigger ping prints the error of a rejected key", async (t) => {
  const message = "The API key is not valid.";
  const service = createServer((_, response) => {
    response.writeHead(401).end(JSON.stringify({ error: { code: "api_key_invalid", message } }));
  }).listen(0, "127.0.0.1");
  t.after(() => service.close());
  await once(service, "listening");
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  assert.deepEqual(await florinAsync(["trigger", "ping", "--url", url, "--key", "sk_test_x"]), {
    status: 1,
    stdout: "",
    stderr: `ping: ${message}\n`,
  });
});

test("listen that is stopped during a delivery does not report the event as not delivered", async (t) => {
  const event = { id: "evt_1", type: "ping" };
  const service = createServer((request, response) => {
    // Ends the command while the handler has the event.
    if (request.method === "POST") return void listening.kill("SIGINT");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }).listen(0, "127.0.0.1");
  t.after(() => {
    service.closeAllConnections();
    service.close();
  });
  await once(service, "listening");
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const file = join(import.meta.dirname, "florin.ts");
  const listening = spawn(
    process.execPath,
    [file, "listen", "--url", url, "--key", "sk_test_x", "--forward-to", url],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [output, [status]] = await Promise.all([text(listening.stdout), once(listening, "exit")]);
  assert.match(
    output,
    / ping +evt_1 {2}→ stopped before the handler responded\. Florin does not send this event again\.\n$/,
  );
  assert.equal(status, 0);
});

test("a missing password of the built-in Postgres is explained, with the place of its copy", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "florin-password-"));
  t.after(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, "postgres/data"), { recursive: true });
  await writeFile(join(directory, "postgres/data/PG_VERSION"), "18\n");
  assert.deepEqual(florin(["verify"], { FLORIN_DATA: directory }), {
    status: 1,
    stdout: "",
    stderr: `${join(directory, "postgres/password")}, the password of the built-in Postgres, is missing or empty. Copy the file from a backup of this database, in which it is postgres/password.\n`,
  });
});

test("a partial ready.json left by a crash is reported and does not crash the command", async () => {
  const directory = await mkdtemp(join(tmpdir(), "florin-cut-"));
  await writeFile(join(directory, "ready.json"), '{"base_url":');
  const { status, stderr } = florin(["trigger", "ping"], { FLORIN_DATA: directory });
  await rm(directory, { recursive: true });
  assert.equal(status, 1);
  assert.match(stderr, /ready\.json is incomplete\. Run 'florin start' again\.\n$/);
});

test("the key of the local service is sent to no other service", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "florin-ready-"));
  t.after(() => rm(directory, { recursive: true }));
  const ready = { base_url: "http://127.0.0.1:2", test_secret_key: "sk_test_local" };
  await writeFile(join(directory, "ready.json"), JSON.stringify(ready));
  const run = (url: string) => florin(["listen", "--url", url], { FLORIN_DATA: directory });
  assert.deepEqual(run("http://127.0.0.1:3"), {
    status: 1,
    stdout: "",
    stderr: `The service of the data directory ${directory} is at http://127.0.0.1:2, not at http://127.0.0.1:3. Set --key to a key of the service at http://127.0.0.1:3.\n`,
  });
  // `npm start` prints the URL of the same service with the host name localhost.
  assert.match(run("http://localhost:2").stderr, /^No service responds at http:\/\/localhost:2 /);
});

test("a command that is run as another user names the file and the fix, and doctor reports a failed check", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "florin-user-"));
  t.after(() => rm(directory, { recursive: true }));
  const cluster = join(directory, "postgres");
  const password = join(cluster, "password");
  await mkdir(join(cluster, "data"), { recursive: true });
  await writeFile(join(cluster, "data", "PG_VERSION"), "18\n");
  await writeFile(password, "secret", { mode: 0o600 });
  await writeFile(join(directory, "ready.json"), "{}", { mode: 0o600 });
  // If root runs the tests, the command runs as a user without privileges, because root can read every file.
  const otherUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  await chmod(directory, 0o755);
  if (otherUser.uid === undefined) {
    for (const file of [password, join(directory, "ready.json")]) await chmod(file, 0);
  }
  const run = (...arguments_: string[]) =>
    florin(arguments_, { FLORIN_DATA: directory, FLORIN_KEYS: join(directory, "keys") }, otherUser);
  if (run("--version").status !== 0) return t.skip("the other user cannot read the code");

  const fix =
    "(EACCES). Run the command as the service's user (docs/operating/production.md#commands).";
  const denied = `The user that runs this command cannot access ${password} ${fix}`;
  assert.deepEqual(run("verify"), { status: 1, stdout: "", stderr: `${denied}\n` });
  assert.equal(
    run("trigger", "ping").stderr,
    `The user that runs this command cannot access ${join(directory, "ready.json")} ${fix}\n`,
  );
  const report = run("doctor");
  assert.equal(report.status, 1);
  assert.equal(report.stderr, "");
  assert.match(report.stdout, /^failed +database +The user that runs this command cannot access /m);
});

test("--version prints the versions of everything that is released together", () => {
  const { status, stdout } = florin(["--version"]);
  assert.equal(status, 0);
  const { service, api, sdk, loader } = versions;
  assert.ok(stdout.startsWith(`florin ${service} (API ${api}, SDK ${sdk},`), stdout);
  assert.ok(stdout.includes(`loader ${loader}, Node ${process.versions.node})`), stdout);
});

test("--help works after any command, even an unknown one", () => {
  for (const arguments_ of [
    [],
    ["--help"],
    ["help"],
    ["verify", "--help"],
    ["verify", "--since", "1h", "--help"],
    ["listen", "-h"],
  ]) {
    const { status, stdout } = florin(arguments_);
    assert.equal(status, 0);
    assert.match(stdout, /^florin: .*\n\n {2}florin start/);
  }
  for (const name of ["frobnicate", "toString"]) {
    const { status, stderr } = florin([name]);
    assert.equal(status, 2);
    assert.ok(
      stderr.startsWith(`The command 'florin ${name}' does not exist.\n\nflorin: `),
      stderr,
    );
  }
});
