import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "./core/clock.ts";
import { type AccountId, newId, type WebhookEndpointId } from "./core/ids.ts";
import type { Scope } from "./core/scope.ts";
import { insertAccount, readAccount } from "./identity/accounts/account.sql.ts";
import { newAccount } from "./identity/accounts/account.ts";
import { type AccountProfile, emptyProfile } from "./identity/accounts/account-profile.ts";
import { insertMember } from "./identity/accounts/member.sql.ts";
import { findApiKey } from "./identity/api-keys/api-key.sql.ts";
import type { HashKey } from "./identity/api-keys/issue-api-key.ts";
import { issueApiKey } from "./identity/api-keys/issue-api-key.ts";
import type { SecretKey } from "./identity/api-keys/key-text.ts";
import { createPasswords } from "./identity/people/password.ts";
import {
  insertPerson,
  readPersonByEmail,
  updatePasswordHash,
} from "./identity/people/person.sql.ts";
import type { Database } from "./platform/database/database.ts";
import type { KeyProvider } from "./vault/key-provider.ts";
import { insertEndpoint, lockEndpoint, updateEndpoint } from "./webhooks/delivery/endpoint.sql.ts";
import { newSigningSecret, type SigningSecret } from "./webhooks/delivery/signature.ts";
import { encryptSigningSecret } from "./webhooks/delivery/signing-keys.ts";

/** A demo merchant and its API key. */
export type DemoMerchant = { readonly account_id: AccountId; readonly test_secret_key: SecretKey };

/**
 * The credentials for a first payment. They are stored in a file, because the database contains only hashes of the
 * keys.
 */
export type Demo = DemoMerchant & {
  readonly webhook_endpoint_id: WebhookEndpointId;
  readonly webhook_secret: SigningSecret;
  /** The sign-in of the merchant's owner, for the dashboard. */
  readonly dashboard_sign_in: { readonly email: string; readonly password: string };
  /** A second merchant, to show that neither can see the other's data. */
  readonly other_account: DemoMerchant;
};

export type DemoDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly keys: KeyProvider;
  readonly hashKey: HashKey;
};

/** Creates the demo merchants on the first start and reads them on later starts. */
export async function prepareDemo(
  deps: DemoDeps,
  dataDirectory: string,
  shopUrl: string | null,
): Promise<Demo> {
  const file = join(dataDirectory, "demo.json");
  const kept = await readKept(file);
  const known = kept && (await isStillThere(deps, kept)) ? kept : null;
  const demo = known && (await hasPerson(deps, known)) ? known : await makeDemo(deps, known);
  if (demo !== kept) await keep(file, demo);
  if (shopUrl) await pointWebhooksAt(deps, demo, `${shopUrl}/webhooks`);
  return demo;
}

async function readKept(file: string): Promise<Demo | null> {
  const text = await readFile(file, "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as Demo);
}

/** Returns whether the merchants in the file still exist in the database. */
async function isStillThere({ database, hashKey }: DemoDeps, demo: Demo): Promise<boolean> {
  const key = await findApiKey(database.read, await hashKey(demo.test_secret_key));
  const account = await readAccount(database.read, demo.other_account.account_id);
  return key !== null && account !== null;
}

async function keep(file: string, demo: Demo): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/**
 * Reports whether the person with the demo's dashboard sign-in exists. A demo.json of an early version contains no
 * dashboard sign-in.
 */
async function hasPerson({ database }: DemoDeps, demo: Demo): Promise<boolean> {
  const email = demo.dashboard_sign_in?.email;
  return email !== undefined && (await readPersonByEmail(database.read, email)) !== null;
}

async function makeDemo(
  deps: DemoDeps,
  known: Omit<Demo, "dashboard_sign_in"> | null,
): Promise<Demo> {
  const demo = known ?? (await makeMerchants(deps));
  return { ...demo, dashboard_sign_in: await makePerson(deps, demo.account_id) };
}

async function makeMerchants(deps: DemoDeps): Promise<Omit<Demo, "dashboard_sign_in">> {
  const merchant = await makeMerchant(deps, "Fieldware", shopProfile);
  const other = await makeMerchant(deps, "Another merchant", emptyProfile);
  const webhook_endpoint_id = newId("we", deps.clock.now());
  return {
    ...merchant,
    webhook_endpoint_id,
    webhook_secret: newSigningSecret(),
    other_account: other,
  };
}

async function makePerson({ database, clock }: DemoDeps, account: AccountId) {
  const now = clock.now();
  const email = "demo@florin.example";
  const password = randomBytes(12).toString("base64url");
  const passwordHash = await createPasswords().hash(password, "known");
  await database.transaction(async (tx) => {
    // If demo.json was deleted, the merchants are new, and the existing person gets a new password.
    const known = await readPersonByEmail(tx, email);
    const id = known?.id ?? newId("per", now);
    if (known) await updatePasswordHash(tx, id, passwordHash);
    else await insertPerson(tx, { id, email, name: "Demo", passwordHash, operator: false });
    await insertMember(tx, { id: newId("mem", now), account, person: id, role: "owner" });
  });
  return { email, password };
}

/** The colors of the demo shop (examples/shop/public/shop.css), so that its payment page looks like the shop. */
const shopProfile: AccountProfile = {
  ...emptyProfile,
  brandColor: "#a8481f",
  backgroundColor: "#f7f2ea",
  supportEmail: "help@fieldware.example",
};

async function makeMerchant(
  deps: DemoDeps,
  name: string,
  profile: AccountProfile,
): Promise<DemoMerchant> {
  const id = newId("acct", deps.clock.now());
  return deps.database.transaction(async (tx) => {
    await insertAccount(tx, { ...newAccount, id, name, country: "US", profile });
    const { secret } = await issueApiKey(deps, tx, { account: id, livemode: false }, "First key");
    return { account_id: id, test_secret_key: secret };
  });
}

/** Updates the endpoint's URL, because the shop's port may change at each start. */
async function pointWebhooksAt(deps: DemoDeps, demo: Demo, url: string): Promise<void> {
  const scope: Scope = { account: demo.account_id, livemode: false };
  const id = demo.webhook_endpoint_id;
  const secret = await encryptSigningSecret(deps.keys, { scope, id }, demo.webhook_secret);
  await deps.database.transaction(async (tx) => {
    const known = await lockEndpoint(tx, scope, id);
    if (known) return updateEndpoint(tx, { ...known, url, status: "enabled" });
    await insertEndpoint(tx, {
      scope,
      id,
      url,
      enabledEvents: ["*"],
      description: "The demo shop",
      status: "enabled",
      metadata: {},
      secrets: { current: secret, previous: null },
    });
  });
}
