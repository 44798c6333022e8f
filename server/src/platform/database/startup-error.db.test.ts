import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { createTestDatabase, urlOfDatabase } from "../../../test/database.ts";
import { migrate } from "./migrate.ts";
import { explainFileError, nullUnlessFixable, StartupError, unreachable } from "./startup-error.ts";

/** Returns the error that the operator reads when Florin starts with this URL. It must not repeat the password. */
async function sentenceFor(url: string): Promise<string> {
  const error = await migrate(url).then(
    () => assert.fail("the database was reachable"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StartupError, String(error));
  assert.doesNotMatch(error.message, /open-sesame/);
  return error.message;
}

test("an unreachable Postgres is reported in one sentence", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  assert.equal(
    await sentenceFor(`postgres://florin:open-sesame@127.0.0.1:${port}/florin`),
    `Postgres does not listen at 127.0.0.1:${port}/florin. Start Postgres, or correct DATABASE_URL.`,
  );
});

test("an unknown host is reported in one sentence", async () => {
  const sentence = await sentenceFor("postgres://florin:open-sesame@postgres.invalid/florin");
  assert.match(sentence, /^The host name in postgres\.invalid:5432\/florin does not resolve/);
});

test("a wrong password and a missing database are reported in one sentence each", async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const wrong = new URL(url);
  wrong.password = "open-sesame";
  assert.match(await sentenceFor(wrong.href), /rejected the password/);
  assert.match(await sentenceFor(urlOfDatabase(url, "nowhere")), /does not have this database/);
});

test("a server that is not Postgres is reported in one sentence", async (t) => {
  const server = createServer((socket) =>
    socket.once("data", () => socket.end("HTTP/1.1 400\r\n")),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  assert.match(
    await sentenceFor(`postgres://florin:open-sesame@127.0.0.1:${port}/florin`),
    new RegExp(`^Florin cannot connect to Postgres at 127\\.0\\.0\\.1:${port}/florin `),
  );
});

test("failures of Postgres, of its certificate and of a disk name the fix", () => {
  const url = "postgres://florin:open-sesame@db.example.com/florin";
  for (const [code, fix] of [
    [
      "CERT_HAS_EXPIRED",
      /has expired \(CERT_HAS_EXPIRED\)\. Renew the certificate on the server\./,
    ],
    ["CERT_NOT_YET_VALID", /is not valid yet .* correct the clock of this machine\.$/],
    ["SELF_SIGNED_CERT_IN_CHAIN", /its certificate authority with sslrootcert=/],
    ["53100", /^The disk of Postgres at db\.example\.com:5432\/florin is full\. Free some space\./],
    ["53300", /accepts no more connections\. Increase max_connections,/],
    ["57P03", /is starting, stopping or recovering\. Try again in a minute\./],
  ] as const) {
    const error = unreachable(url, Object.assign(new Error("failed"), { code }));
    assert.match(error?.message ?? "", fix, code);
  }
  assert.equal(unreachable(url, Object.assign(new Error("syntax"), { code: "42601" })), null);
  for (const [code, fix] of [
    [
      "ENOSPC",
      /^Florin cannot write \/data\/file, because its disk is full \(ENOSPC\)\. Free some space/,
    ],
    ["EROFS", /because its file system is read-only \(EROFS\)\. Make it writable,/],
    ["53100", /^Postgres cannot write, because its disk is full \(53100\)\. Free some space/],
    [
      "ENOTDIR",
      /cannot use \/data\/file, because one of its parent directories is a file \(ENOTDIR\)/,
    ],
    ["EIO", /because its disk failed \(EIO\)\. Check the disk/],
    ["EACCES", /cannot access \/data\/file \(EACCES\)\. Run the command as the service's user/],
  ] as const) {
    const explained = explainFileError(
      Object.assign(new Error(code), { code, path: "/data/file" }),
    );
    assert.ok(explained instanceof StartupError);
    assert.match(explained.message, fix);
  }
  // When a write fails, Node's error does not contain the path of the file.
  const unnamed = explainFileError(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }), "/data");
  assert.match(String(unnamed), /Florin cannot write a file, probably in \/data, because its disk/);
});

test("a file below another file is missing, so that the caller names the fix", () => {
  const error = Object.assign(new Error("ENOTDIR"), { code: "ENOTDIR", path: "/backup.tar/file" });
  assert.equal(nullUnlessFixable(error), null);
});
