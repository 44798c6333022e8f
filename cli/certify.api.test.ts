import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { listConnections } from "@florin/server/acquiring/connections/connection.sql.ts";
import { newId } from "@florin/server/core/ids.ts";
import { connectAdyen, startAdyenShop } from "@florin/server/test/adyen.ts";
import { apiKey, createConnectionClient, sandboxAdyen } from "@florin/server/test/connection.ts";
import { createPerson } from "@florin/server/test/person.ts";

const { adyen, shop } = await startAdyenShop();
await connectAdyen(shop, adyen);

const readConnection = async () => {
  const [stored] = await listConnections(shop.app.database.read);
  assert(stored);
  return stored.connection;
};
const { id, settings } = await readConnection();

type Check = { readonly name: string; readonly status: string; readonly found: string };

/**
 * Runs the command in another process, because the service must be able to receive notifications while the command
 * runs.
 */
function florin(
  ...arguments_: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const file = join(import.meta.dirname, "florin.ts");
  const env = {
    ...process.env,
    ...shop.settings,
    FLORIN_ACQUIRERS: "sandbox",
    FLORIN_ACQUIRER_URLS: `adyen=${adyen.url}`,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...arguments_], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

async function certify(wait = "20") {
  const { code, stdout, stderr } = await florin("certify", id, "--json", "--wait", wait);
  assert.notEqual(stdout, "", stderr);
  const report = JSON.parse(stdout) as { certified_at: string | null; checks: Check[] };
  const statusOf = (status: string) => report.checks.filter((check) => check.status === status);
  return { code, report, statusOf };
}

const setAccount = (changes: object) =>
  adyen.control(`PUT accounts/${settings.merchantAccount}`, changes);

beforeEach(async () => {
  await shop.app.database.transaction(
    (tx) =>
      tx`update processor_connections set certified_at = null, certified_connector = null, certified_checks = null`,
  );
});

test("all checks pass at the fake of Adyen, and the connection is certified with an audit entry", async () => {
  const { code, report, statusOf } = await certify();
  assert.deepEqual(
    report.checks.filter(({ status }) => status !== "passed"),
    [],
  );
  assert.equal(code, 0);
  assert.equal(statusOf("passed").length, 30);
  const { certification } = await readConnection();
  assert.equal(certification?.checks, 30);
  assert.equal(certification?.certifiedAt.toISOString(), report.certified_at);
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const shown = (await createConnectionClient(shop, operator).read(id)).body.certification;
  assert.deepEqual([shown.connector, shown.checks], ["Adyen Checkout API v72", 30]);
  const audit = await operator.send("GET", "/operator/v1/audit?action=connection.certified");
  assert.equal(audit.body.data[0].object_id, id);
  const waiting = await shop.app.database.read`
    select id from acquirer_notifications where state in ('pending', 'unmatched', 'review')
  `;
  assert.deepEqual(waiting, []);
});

test("a capture that Adyen does not confirm fails its check with the reason, and the connection is not certified", async () => {
  await adyen.fault("captures", "html_502");
  const { code, statusOf } = await certify();
  assert.equal(code, 1);
  assert.deepEqual(
    statusOf("failed").map(({ name, found }) => [name, found]),
    [
      [
        "capture",
        "The capture has an unknown outcome (invalid_response: the response has status 502).",
      ],
    ],
  );
  assert.equal((await readConnection()).certification, null);
});

test("notifications that do not reach the service are reported as not seen, and the connection is not certified", async () => {
  const [{ webhookUrl }] = (
    await adyen.control<{ accounts: [{ webhookUrl: string }] }>("GET accounts")
  ).accounts;
  await setAccount({ webhookUrl: null });
  const { code, statusOf } = await certify("0.1");
  await setAccount({ webhookUrl });
  assert.equal(code, 1);
  assert.deepEqual([statusOf("failed").length, statusOf("passed").length], [0, 17]);
  const missing = statusOf("not_seen");
  assert.equal(missing.length, 13);
  assert.match(
    missing[0]?.found ?? "",
    /^1 of 1 expected notifications did not arrive in time \(AUTHORISATION\)\./,
  );
  assert.equal((await readConnection()).certification, null);
});

test("a merchant account without optional functions is certified, and their checks are skipped", async () => {
  await setAccount({ multiplePartialCaptures: false, returnsAdditionalData: false });
  const { code, statusOf } = await certify();
  await setAccount({ multiplePartialCaptures: true, returnsAdditionalData: true });
  assert.deepEqual(
    statusOf("skipped").map(({ name }) => name),
    ["card_checks", "partial_captures"],
  );
  assert.deepEqual(statusOf("failed"), []);
  assert.equal(code, 0);
});

test("an API key that Adyen rejects stops the checks after the first one", async () => {
  await setAccount({ apiKey: "another-key" });
  const { code, stdout } = await florin("certify", id);
  await setAccount({ apiKey });
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^failed {4}API key and merchant account\n.*API key.*\n\n0 passed, 1 failed, 0 not seen, 0 skipped\. The connection is not certified\.\n$/,
  );
});

test("a live connection, an unknown one and one without secrets are rejected with the reason", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const { create } = createConnectionClient(shop, operator);
  const live = (await create()).body.id;
  const empty = (await create(sandboxAdyen)).body.id;
  const unknown = newId("con", shop.clock.now());
  for (const [connection, words] of [
    [
      live,
      /^The connection is to the acquirer's live environment\. .* require a sandbox connection\.\n$/,
    ],
    [
      empty,
      /^The connection has no secrets\. Store its API key and its notification key first\.\n$/,
    ],
    [unknown, /^The connection con_\w+ does not exist\.\n$/],
    ["Adyen", /^certify needs the ID of a connection/],
  ]) {
    const { code, stdout, stderr } = await florin("certify", connection);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, words);
  }
});
