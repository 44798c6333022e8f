import assert from "node:assert/strict";
import { chown, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { testCertificates } from "../../../test/certificates.ts";
import { slowed } from "../../../test/slowness.ts";
import { allowUnverifiedTls, connectionOptions, requireVerifiedTls } from "./connection-options.ts";
import { connectDatabase } from "./database.ts";
import { DatabaseClient } from "./database-client.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded.ts";
import { migrate } from "./migrate.ts";
import { unreachable } from "./startup-error.ts";

let directory: string;
let authority: string;
let postgres: EmbeddedPostgres;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "florin-tls-"));
  authority = join(directory, "authority.pem");
  await writeFile(authority, testCertificates.authority);
  postgres = await startEmbeddedPostgres({ directory, log: () => {} });
});
after(async () => {
  await postgres.stop();
  await rm(directory, { recursive: true });
});

/** Returns the URL of the test Postgres at another host, such as a local address that is not loopback. */
function urlAt(host: string, parameters: Readonly<Record<string, string>> = {}): string {
  const local = new URL(postgres.url);
  const url = new URL(`postgres://florin@${host}:${local.searchParams.get("port")}/florin`);
  url.password = local.password;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Connects and returns the TLS version, or null for an unencrypted connection. */
async function connect(url: string): Promise<string | null> {
  const client = new DatabaseClient(connectionOptions(url));
  await client.connect();
  const { rows } = await client.query(
    "select version from pg_stat_ssl where pid = pg_backend_pid()",
  );
  await client.end();
  return rows[0].version;
}

/** Returns the error message that the operator receives if the connection fails, or `connected`. */
async function rejectionOf(url: string): Promise<string> {
  const error = await migrate(url).then(() => null, String);
  return error ?? "connected";
}

async function turnTlsOn(): Promise<void> {
  const data = join(directory, "postgres/data");
  const { uid, gid } = await stat(data);
  for (const name of ["certificate", "key"] as const) {
    const file = join(data, `server.${name}`);
    await writeFile(file, testCertificates[name], { mode: 0o600 });
    await chown(file, uid, gid);
  }
  const client = new DatabaseClient(connectionOptions(postgres.url));
  await client.connect();
  await client.query("alter system set ssl_cert_file = 'server.certificate'");
  await client.query("alter system set ssl_key_file = 'server.key'");
  await client.query("alter system set ssl = on");
  await client.query("select pg_reload_conf()");
  await client.end();
}

test("a Postgres on another host is reached only over TLS with a verified certificate", async () => {
  const host = "0.0.0.0";
  assert.match(
    await rejectionOf(urlAt(host)),
    /does not support TLS.*FLORIN_DATABASE_TLS=off and without sslmode in DATABASE_URL\.$/,
  );
  assert.equal(await connect(urlAt(host, { sslmode: "disable" })), null);

  await turnTlsOn();
  const deadline = Date.now() + slowed(20_000);
  while ((await rejectionOf(urlAt(host))).includes("does not support TLS")) {
    assert.ok(Date.now() < deadline, "Postgres did not reload its configuration");
  }
  assert.match(await rejectionOf(urlAt(host)), /cannot verify the certificate .*sslrootcert=/);
  const trusted = { sslrootcert: authority };
  assert.equal(await connect(urlAt(host, trusted)), "TLSv1.3");
  assert.equal(
    await connect(urlAt("localhost", { sslmode: "verify-full", ...trusted })),
    "TLSv1.3",
  );
  assert.match(
    await rejectionOf(urlAt("127.0.0.1", { sslmode: "verify-full", ...trusted })),
    /cannot verify the certificate .* \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
  );
  assert.equal(
    await connect(urlAt("127.0.0.1", { sslmode: "verify-ca", ...trusted })),
    "TLSv1.3",
    "verify-ca does not check the host name",
  );
  assert.equal(await connect(urlAt("127.0.0.1")), null, "loopback needs no TLS");
  assert.equal(await connect(postgres.url), null, "a socket needs no TLS");
  const missing = urlAt(host, { sslrootcert: join(directory, "nothing.pem") });
  assert.match(
    await rejectionOf(missing),
    /sslrootcert=.*nothing\.pem, but Florin cannot read the file/,
  );
});

test("the operating system checks an idle connection after 30 seconds", async (t) => {
  if (process.platform !== "linux") return t.skip("reads /proc/net/tcp");
  const client = new DatabaseClient(connectionOptions(urlAt("127.0.0.1", { sslmode: "disable" })));
  await client.connect();
  const { rows } = await client.query(
    "select inet_client_port() as client, inet_server_port() as server",
  );
  const addressOf = (port: number) =>
    `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  // The search compares both ports, because a closed connection to another server can have the same client port.
  const [local, remote] = [addressOf(rows[0].client), addressOf(rows[0].server)];
  const socket = (await readFile("/proc/net/tcp", "utf8"))
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find(([, from, to]) => from === local && to === remote);
  await client.end();
  // In the kernel's table, 02 is the keep-alive timer. The remaining time is in hundredths of a second.
  const [, timer, remaining = ""] = /^(..):(.*)$/.exec(socket?.[5] ?? "") ?? [];
  assert.equal(timer, "02");
  assert.ok(Number.parseInt(remaining, 16) <= 30 * 100, remaining);
});

test("NODE_TLS_REJECT_UNAUTHORIZED=0 does not disable verification", async () => {
  await turnTlsOn();
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  const rejection = await rejectionOf(urlAt("0.0.0.0"));
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  assert.match(rejection, /cannot verify the certificate/);
});

test("an sslmode without verification is rejected for another host and allowed for this machine", () => {
  const remote = "postgres://florin:secret@db.internal/florin";
  for (const url of [remote, `${remote}?sslmode=verify-full`, `${remote}?sslrootcert=/ca.pem`]) {
    assert.equal(requireVerifiedTls(url), url);
  }
  for (const mode of ["prefer", "require", "verify-ca"]) {
    const verified = `${remote}?sslmode=verify-full`;
    assert.equal(requireVerifiedTls(`${remote}?sslmode=${mode}&uselibpqcompat=true`), verified);
  }
  for (const weak of ["sslmode=disable", "sslmode=allow", "sslmode=no-verify", "ssl=false"]) {
    assert.equal(requireVerifiedTls(`${remote}?${weak}`), null, weak);
    assert.equal(allowUnverifiedTls(`${remote}?${weak}`), `${remote}?${weak}`);
  }
  assert.equal(allowUnverifiedTls(remote), `${remote}?sslmode=disable`);
  for (const local of ["localhost", "127.0.0.1", "[::1]", "%2Frun%2Fpostgresql"]) {
    const url = `postgres://florin:secret@${local}/florin?sslmode=disable`;
    assert.equal(requireVerifiedTls(url), url);
  }
  // The host may also be a URL parameter.
  assert.equal(requireVerifiedTls("postgres://localhost/f?host=db.internal&sslmode=disable"), null);
});

test("connect_timeout in the URL sets the time limit of a connection", () => {
  const local = "postgres://florin@127.0.0.1/florin";
  assert.equal(connectionOptions(local).connectionTimeoutMillis, 3_000);
  assert.equal(connectionOptions(`${local}?connect_timeout=20`).connectionTimeoutMillis, 20_000);
  for (const invalid of ["", "0", "-1", "1.5", "601", "soon"]) {
    assert.throws(
      () => connectionOptions(`${local}?connect_timeout=${invalid}`),
      /a number of seconds from 1 to 600/,
      invalid,
    );
  }
});

for (const [method, request] of [
  ["cleartext", [0, 0, 0, 3]],
  ["MD5", [0, 0, 0, 5, 1, 2, 3, 4]],
] as const) {
  test(`the password is not sent to a server that requests ${method} authentication`, async () => {
    let received = "";
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write(Buffer.from(["R".charCodeAt(0), 0, 0, 0, 4 + request.length, ...request]));
        socket.on("data", (bytes) => {
          received += bytes.toString("latin1");
          socket.destroy();
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const url = `postgres://florin:hunter2@127.0.0.1:${port}/florin`;
    assert.match(await rejectionOf(url), new RegExp(`by ${method} authentication without TLS`));
    const database = connectDatabase({ url, poolSize: 1, onIdleError: () => {} });
    for (const attempt of [() => database.read`select 1`, () => database.connect()]) {
      await assert.rejects(attempt, (error) =>
        /scram-sha-256/.test(unreachable(url, error)?.message ?? ""),
      );
    }
    await database.close();
    await new Promise((resolve) => server.close(resolve));
    assert.equal(received, "");
  });
}
