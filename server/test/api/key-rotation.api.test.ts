import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { readDocument } from "../../src/admin/underwriting/document.sql.ts";
import { encryptedDocument } from "../../src/admin/underwriting/edit-application.ts";
import { readWholeApplication } from "../../src/admin/underwriting/read-application.ts";
import { readTotp } from "../../src/identity/people/totp.sql.ts";
import { connectDatabase } from "../../src/platform/database/database.ts";
import { decryptSecret } from "../../src/vault/envelope-encryption.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { createPersonSecrets } from "../../src/vault/person-secrets.ts";
import { readEndpoint } from "../../src/webhooks/delivery/endpoint.sql.ts";
import { decryptSigningSecret } from "../../src/webhooks/delivery/signing-keys.ts";
import { fillIn, pdf, reported } from "../application.ts";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import { createCheckout } from "../checkout.ts";
import { createTestDatabase } from "../database.ts";
import { createPerson } from "../person.ts";
import { type Shop, startShop } from "../shop.ts";

const testDatabase = await createTestDatabase();
const shop = await startShop({ workers: false, database: testDatabase });
const database = connectDatabase({
  url: testDatabase.url,
  poolSize: 2,
  onIdleError: () => undefined,
});
after(async () => {
  // A test has closed the shop, unless it failed before.
  await shop.app.close().catch(() => undefined);
  await database.close();
  await testDatabase.drop();
  await rm(dirname(shop.settings.FLORIN_KEYS), { recursive: true });
});
const florin = join(import.meta.dirname, "../../../cli/florin.ts");
const run = promisify(execFile);

const rotateKeys = (...options: string[]) => rotateKeysOf(shop, ...options);

async function rotateKeysOf({ settings }: Shop, ...options: string[]): Promise<string> {
  const env = { ...process.env, ...settings };
  return (await run(process.execPath, [florin, "rotate-keys", ...options], { env })).stdout;
}

test("after a rotation the old key is not needed, and data encrypted with it decrypts unchanged", async () => {
  const { account } = shop.merchant;
  const person = await createPerson(shop);
  const authenticator = await addAuthenticatorApp(shop, person);
  await fillIn(person);
  const checkout = await createCheckout(shop);
  await checkout.type("4242424242424242");
  const { id } = (await shop.post("/webhook_endpoints", { url: "http://127.0.0.1:9/" })).body;
  const old = (await shop.post(`/webhook_endpoints/${id}/roll_secret`, {})).body.secret;
  const { secret } = (await shop.post(`/webhook_endpoints/${id}/roll_secret`, {})).body;

  assert.match(
    await rotateKeys("--live"),
    /^live\.2 .* cards 0, webhook secrets 0, authenticator apps 1, sections of applications 5, documents 3, files of disputes 0, acquirer connections 0, proposals of operators 0, wallet keys 0\.$/m,
  );
  assert.match(await rotateKeys(), /^test\.2 .* cards 1, webhook secrets 2, auth/m);
  // The running service still encrypts with the key it started with. `--finish` rewraps the secrets that were
  // encrypted with the old key since the rotation.
  const late = (await shop.post("/webhook_endpoints", { url: "http://127.0.0.1:9/" })).body;
  await assert.rejects(
    rotateKeys("--finish"),
    /server process(es)? uses? an older key than test\.2, .* Then run: npm run florin rotate-keys -- --finish$/m,
  );
  await shop.app.close();
  assert.match(await rotateKeys("--finish"), /^test\.2 .* cards 0, webhook secrets 1, auth/m);
  for (const key of ["test.1.key", "live.1.key"]) await rm(join(shop.settings.FLORIN_KEYS, key));

  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  const scope = { account, livemode: false };
  const rolled = await readEndpoint(database.read, scope, id);
  assert(rolled?.secrets.previous);
  assert.equal(await decryptSigningSecret(keys, rolled, rolled.secrets.current), secret);
  assert.equal(await decryptSigningSecret(keys, rolled, rolled.secrets.previous.ciphertext), old);
  const added = await readEndpoint(database.read, scope, late.id);
  assert(added);
  assert.equal(await decryptSigningSecret(keys, added, added.secrets.current), late.secret);

  const totp = await readTotp(database.read, person.id);
  assert(totp);
  const opened = await createPersonSecrets(keys).decrypt(person.id, totp.ciphertext);
  assert.equal(base32(opened), authenticator.secret);

  const { sections, documents } = await readWholeApplication({ database, keys }, account);
  assert.deepEqual(sections.business, reported.business);
  for (const { id } of documents) {
    const stored = await readDocument(database.read, account, id);
    assert(stored);
    assert.deepEqual(
      await decryptSecret(keys, encryptedDocument(stored.document), stored.ciphertext),
      pdf,
    );
  }
});

test("the rotation to a copied key does not end while a server runs that uses an older key", async () => {
  const copyDatabase = await createTestDatabase();
  const early = await startShop({ workers: false, processes: 1, database: copyDatabase });
  const finish = () => rotateKeysOf(early, "--finish");
  await writeFile(join(early.settings.FLORIN_KEYS, "test.2.key"), randomBytes(32), { mode: 0o600 });
  await assert.rejects(finish(), /\b1 server process uses an older key than test\.2, /);
  // The rotation still cannot end after a second server, which uses the new key, has started.
  const late = await startShop({
    workers: false,
    processes: 1,
    database: copyDatabase,
    keysDirectory: early.settings.FLORIN_KEYS,
  });
  await assert.rejects(finish(), /\b1 server process uses an older key than test\.2, /);
  await early.app.close();
  assert.match(await finish(), /^test\.2 is the current key\. /);
  await late.close();
  await rm(dirname(early.settings.FLORIN_KEYS), { recursive: true });
});

test("an unknown option changes nothing", async () => {
  await assert.rejects(rotateKeys("--lvie"), /Unknown option '--lvie'/);
  assert.equal(
    await createLocalKeyProvider(shop.settings.FLORIN_KEYS).currentKeyId(false),
    "test.2",
  );
});

/** Encodes the secret for authenticator apps (RFC 4648). */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(
    /.{5}/g,
    (five) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[Number.parseInt(five, 2)] as string,
  );
}
