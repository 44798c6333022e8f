import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { createTestDatabase, urlOfDatabase } from "../../../test/database.ts";
import { migrate } from "./migrate.ts";
import { StartupError } from "./startup-error.ts";

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
  assert.match(await sentenceFor(wrong.href), /rejects the user or the password/);
  assert.match(await sentenceFor(urlOfDatabase(url, "nowhere")), /does not have this database/);
});
