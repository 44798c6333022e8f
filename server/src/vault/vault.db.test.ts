import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { createTestDatabase } from "../../test/database.ts";
import { newId, type PaymentMethodId, uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { connectDatabase } from "../platform/database/database.ts";
import { DecryptionFailed } from "./aes-gcm.ts";
import { CardNumber } from "./card-number.ts";
import { decryptSecret, encryptSecret } from "./envelope-encryption.ts";
import type { KeyProvider } from "./key-provider.ts";
import { createLocalKeyProvider } from "./local-key-provider.ts";
import { type ParsedCard, parseCard } from "./parse-card.ts";
import { rewrapCards } from "./rewrap-cards.ts";
import { createVault, type EncryptedCard } from "./vault.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
const directory = await mkdtemp(path.join(tmpdir(), "vault-"));
const keys = createLocalKeyProvider(directory);
const session = newId("cs", new Date("2026-05-15T12:00:00Z"));
const clock = { time: new Date("2026-05-15T12:00:00Z"), now: () => clock.time };
const vault = createVault({ keys, clock, database });
after(async () => {
  await database.close();
  await testDatabase.drop();
  await rm(directory, { recursive: true });
});

async function createScope(): Promise<Scope> {
  const account = newId("acct", clock.now());
  await database.transaction(
    (tx) => tx`insert into accounts (id, name) values (${uuidOf(account)}, 'Shop')`,
  );
  return { account, livemode: false };
}

function card(number = "4242424242424242"): ParsedCard {
  const typed = { expMonth: 12, expYear: 2031, securityCode: "737", addressLine1: null };
  const parsed = parseCard({ ...typed, number, postalCode: "94103" }, clock.now());
  assert.ok(parsed.kind === "card");
  return parsed.card;
}

async function keep(scope: Scope, parsed = card()): Promise<EncryptedCard> {
  const encrypted = await vault.encryptCard(scope, parsed);
  await vault.keepCodeOfNewCard(encrypted, session);
  await database.transaction((tx) => vault.store(tx, encrypted));
  return encrypted;
}

test("a stored card is decrypted unchanged, with its security code once", async () => {
  const scope = await createScope();
  const { id, brand, last4 } = await keep(scope);
  assert.deepEqual([brand, last4], ["visa", "4242"]);
  const stored = await vault.readWithoutCode(scope, id);
  assert.equal(stored?.number.reveal(), "4242424242424242");
  assert.deepEqual([stored.expMonth, stored.expYear, stored.postalCode], [12, 2031, "94103"]);
  assert.equal(stored.securityCode, null);
  assert.equal(vault.takeSecurityCode({ scope, id, session })?.reveal(), "737");
  assert.equal(vault.takeSecurityCode({ scope, id, session }), null);
});

test("a security code is dropped after fifteen minutes, and other processes never have it", async () => {
  const scope = await createScope();
  const { id } = await keep(scope);
  const elsewhere = createVault({ keys, clock, database });
  assert.equal(elsewhere.takeSecurityCode({ scope, id, session }), null);
  clock.time = new Date(clock.time.getTime() + 15 * 60_000);
  assert.equal(vault.takeSecurityCode({ scope, id, session }), null);
});

test("a card of another account, of the other mode, or that never existed is equally missing", async () => {
  const scope = await createScope();
  const { id } = await keep(scope);
  assert.equal(await vault.readWithoutCode(await createScope(), id), null);
  assert.equal(await vault.readWithoutCode({ ...scope, livemode: true }, id), null);
  assert.equal(await vault.readWithoutCode(scope, newId("pm", clock.now())), null);
});

test("a row copied to another account, mode or id cannot be decrypted", async () => {
  const scope = await createScope();
  const { id } = await keep(scope);
  const thief = await createScope();
  const otherId: PaymentMethodId = newId("pm", clock.now());
  const copies: [Scope, PaymentMethodId][] = [
    [thief, id],
    [scope, otherId],
    [{ ...scope, livemode: true }, id],
  ];
  for (const [to, as] of copies) {
    await database.transaction(
      (tx) => tx`
        insert into vault_cards (account_id, livemode, id, key_id, wrapped_key, ciphertext)
        select ${uuidOf(to.account)}, ${to.livemode}, ${uuidOf(as)},
               case when ${to.livemode} then 'live.1' else key_id end, wrapped_key, ciphertext
          from vault_cards where account_id = ${uuidOf(scope.account)} and not livemode and id = ${uuidOf(id)}`,
    );
    await keys.mac(to.livemode, Buffer.from("x"));
    await keys.wrap(to.livemode, Buffer.alloc(32), Buffer.from("x"));
    await assert.rejects(vault.readWithoutCode(to, as), DecryptionFailed);
  }
});

test("a card cannot be decrypted after any single bit of the row has changed", async () => {
  const scope = await createScope();
  const { id, encrypted } = await keep(scope);
  for (const name of ["wrapped_key", "ciphertext"] as const) {
    const bytes = name === "ciphertext" ? encrypted.ciphertext : encrypted.wrapped;
    for (let bit = 0; bit < bytes.length * 8; bit += 13) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      await database.transaction(async (tx) => {
        const wrapped = name === "wrapped_key" ? flipped : encrypted.wrapped;
        const box = name === "ciphertext" ? flipped : encrypted.ciphertext;
        await tx`update vault_cards set wrapped_key = ${wrapped}, ciphertext = ${box}
                  where account_id = ${uuidOf(scope.account)} and id = ${uuidOf(id)}`;
      });
      await assert.rejects(
        vault.readWithoutCode(scope, id),
        DecryptionFailed,
        `${name}, bit ${bit}`,
      );
    }
  }
});

test("the stored row contains neither the card number nor the security code in any usual encoding", async () => {
  const scope = await createScope();
  const { id, encrypted } = await keep(scope);
  const [row] = await database.read<{ dump: string }>`
    select vault_cards::text || encode(ciphertext, 'escape') || encode(ciphertext, 'base64') ||
           encode(wrapped_key, 'escape') as dump
      from vault_cards where account_id = ${uuidOf(scope.account)} and id = ${uuidOf(id)}`;
  const number = "4242424242424242";
  const spellings = [number, "4242 4242", number.slice(0, 8)].flatMap((text) => [
    text,
    Buffer.from(text).toString("hex"),
    Buffer.from(text).toString("base64").replace(/=+$/, ""),
  ]);
  for (const spelling of spellings) assert.ok(!row?.dump.includes(spelling), spelling);
  assert.ok(!encrypted.ciphertext.includes("737"));
  // Two encryptions of the same card have different keys and ciphertexts.
  const again = await vault.encryptCard(scope, card());
  assert.notDeepEqual(again.encrypted.ciphertext, encrypted.ciphertext);
});

test("a fingerprint identifies a card within one merchant and never across merchants", async () => {
  const [shop, other] = [await createScope(), await createScope()];
  const one = await vault.encryptCard(shop, card());
  const again = await vault.encryptCard(shop, card());
  const different = await vault.encryptCard(shop, card("4000056655665556"));
  const elsewhere = await vault.encryptCard(other, card());
  assert.match(one.fingerprint, /^[0-9A-Za-z]{16}$/);
  assert.equal(one.fingerprint, again.fingerprint);
  assert.notEqual(one.fingerprint, different.fingerprint);
  assert.notEqual(one.fingerprint, elsewhere.fingerprint);
  const number = new CardNumber("4242424242424242");
  assert.equal(await vault.fingerprint(shop, number), one.fingerprint);
});

test("a deleted card cannot be read", async () => {
  const scope = await createScope();
  const { id } = await keep(scope);
  await database.transaction((tx) => vault.erase(tx, scope, id));
  assert.equal(await vault.readWithoutCode(scope, id), null);
});

test("after a rotation all cards are rewrapped in batches and decrypt as before", async () => {
  const scope = await createScope();
  const cards = await Promise.all(
    Array.from({ length: 450 }, () => vault.encryptCard(scope, card())),
  );
  await database.transaction(async (tx) => {
    for (const encrypted of cards) await vault.store(tx, encrypted);
  });
  const fingerprintBefore = cards[0]?.fingerprint;
  const newKey = await keys.rotate(false);

  // Deletes the cards that earlier tests corrupted on purpose.
  await database.transaction(
    (tx) => tx`delete from vault_cards where account_id <> ${uuidOf(scope.account)}`,
  );
  const [moved, meanwhile] = await Promise.all([
    rewrapCards({ database, keys }, false),
    vault.readWithoutCode(scope, (cards[400] as EncryptedCard).id),
  ]);
  assert.equal(moved, 450);
  assert.equal(meanwhile?.number.reveal(), "4242424242424242");
  assert.deepEqual(
    await database.read`select distinct key_id from vault_cards where not livemode`,
    [{ key_id: newKey }],
  );
  const restarted = createVault({ keys: createLocalKeyProvider(directory), clock, database });
  for (const { id } of [cards[0], cards[449]] as EncryptedCard[]) {
    const opened = await restarted.readWithoutCode(scope, id);
    assert.equal(opened?.number.reveal(), "4242424242424242");
  }
  assert.equal((await vault.encryptCard(scope, card())).fingerprint, fingerprintBefore);
  assert.equal(await rewrapCards({ database, keys }, false), 0);
});

test("the ciphertext authenticates the mode, even if a provider uses one key for both modes", async () => {
  const oneKey: KeyProvider = {
    ...keys,
    wrap: (_, dataKey, context) => keys.wrap(false, dataKey, context),
    unwrap: (_, wrapped, context) => keys.unwrap(false, wrapped, context),
  };
  const scope = await createScope();
  const to = { scope, id: newId("pm", clock.now()), purpose: "card" };
  const packed = await encryptSecret(oneKey, to, Buffer.from("secret"));
  assert.equal((await decryptSecret(oneKey, to, packed)).toString(), "secret");
  const live = { ...to, scope: { ...scope, livemode: true } };
  await assert.rejects(decryptSecret(oneKey, live, packed), DecryptionFailed);
});

test("an encrypted secret decrypts only if unaltered, and only for its account, mode, ID and purpose", async () => {
  const scope = await createScope();
  const other = await createScope();
  const id = newId("we", clock.now());
  const to = { scope, id, purpose: "webhook_secret" };
  const secret = Buffer.from("whsec_0123456789");
  const packed = await encryptSecret(keys, to, secret);
  assert.ok(!packed.includes("0123456789"));
  assert.deepEqual(await decryptSecret(keys, to, packed), secret);
  await assert.rejects(decryptSecret(keys, { ...to, scope: other }, packed), DecryptionFailed);
  await assert.rejects(decryptSecret(keys, { ...to, purpose: "card" }, packed), DecryptionFailed);
  await assert.rejects(
    decryptSecret(keys, { ...to, id: newId("we", clock.now()) }, packed),
    DecryptionFailed,
  );
  for (let length = 0; length < packed.length; length++) {
    await assert.rejects(decryptSecret(keys, to, packed.subarray(0, length)));
  }
});

/** Stores the payer of a wallet's token that an acquirer decrypts, with its payment method. */
async function keepPayer(scope: Scope): Promise<PaymentMethodId> {
  const payer = { postalCode: "94103", addressLine1: null };
  const encrypted = await vault.encryptPayer(scope, payer);
  const time = clock.now();
  await database.transaction(async (tx) => {
    await vault.store(tx, encrypted);
    await tx`
      insert into payment_methods
             (account_id, livemode, id, brand, funding, networks, wallet, checkout_session_id, assignment_id)
      values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(encrypted.id)}, 'unknown', 'unknown', '{}',
              'google_pay', ${uuidOf(newId("cs", time))}, ${uuidOf(newId("asg", time))})`;
  });
  return encrypted.id;
}

test("the payer of a wallet's token cannot be decrypted as a card, and a card not as a payer", async () => {
  const scope = { ...(await createScope()), livemode: true };
  const payer = await keepPayer(scope);
  assert.equal((await vault.readPayer(scope, payer))?.postalCode, "94103");
  await assert.rejects(vault.readWithoutCode(scope, payer), DecryptionFailed);
  const { id } = await keep(scope);
  await assert.rejects(vault.readPayer(scope, id), DecryptionFailed);
});

test("the payer of a wallet's token is rewrapped under a new key like a card", async () => {
  const scope = { ...(await createScope()), livemode: true };
  const payer = await keepPayer(scope);
  const { id } = await keep(scope);
  const newKey = await keys.rotate(true);
  assert.ok((await rewrapCards({ database, keys }, true)) >= 2);
  assert.deepEqual(
    await database.read`select distinct key_id from vault_cards where account_id = ${uuidOf(scope.account)}`,
    [{ key_id: newKey }],
  );
  assert.equal((await vault.readPayer(scope, payer))?.postalCode, "94103");
  assert.equal((await vault.readWithoutCode(scope, id))?.number.last4, "4242");
});
