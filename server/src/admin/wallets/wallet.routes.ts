import type { AuditAction } from "@florin/contract/audit-actions.ts";
import {
  ChangeWalletKey,
  CreateWalletKey,
  OperatorWallet,
  OperatorWallets,
  SaveWallet,
  StoreWalletCertificate,
  WalletCertificateRequest,
} from "@florin/contract/operator-wallets.ts";
import { type LiveWallet, liveWallets } from "@florin/contract/payment-method.ts";
import { changedSince } from "../../acquiring/connections/change-connection.ts";
import type { Environment } from "../../acquiring/connections/connection.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { type AccountId, newId, parseId } from "../../core/ids.ts";
import { readAccount } from "../../identity/accounts/account.sql.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { created, ok } from "../../platform/http/route.ts";
import { readAppleCertificate } from "../../vault/wallets/configurations/apple-certificate.ts";
import { certificateRequest } from "../../vault/wallets/configurations/certificate-request.ts";
import {
  insertConfiguration,
  listConfigurations,
  lockConfiguration,
  readConfiguration,
  updateConfiguration,
} from "../../vault/wallets/configurations/wallet-configuration.sql.ts";
import type {
  DomainAssociation,
  WalletConfiguration,
} from "../../vault/wallets/configurations/wallet-configuration.ts";
import {
  deleteKey,
  insertKey,
  listKeys,
  readPrivateKey,
  updateKey,
} from "../../vault/wallets/configurations/wallet-key.sql.ts";
import { fingerprintOf, type WalletKey } from "../../vault/wallets/configurations/wallet-key.ts";
import {
  decryptPrivateKey,
  encryptPrivateKey,
  generateWalletKey,
} from "../../vault/wallets/configurations/wallet-key-secrets.ts";
import { neededPurposes } from "../../vault/wallets/configurations/why-not-offered.ts";
import type { OperatorDeps } from "../operator/operator-deps.ts";
import {
  accountIn,
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "../operator/operator-request.ts";
import { promoteKey } from "./change-wallet-key.ts";
import { walletObject } from "./wallet-object.ts";

export type WalletRouteDeps = OperatorDeps & {
  readonly environment: Environment;
  /** Returns the origin at which browsers reach the service. */
  readonly publicUrl: () => string;
  /** True if the service has the second origin, on which Google's script runs. */
  readonly hasWalletsUrl: boolean;
};

/**
 * Serves the wallets of accounts in live mode, and their keys. A change requires a recent step-up and is audited. It
 * needs no second operator, because no key can redirect money: a token can be charged only over the account's own
 * assignments.
 */
export function walletRoutes(deps: WalletRouteDeps): BrowserRoute<SignedIn>[] {
  const { database, clock, keys, environment } = deps;
  const service = { isSandbox: environment === "sandbox", hasWalletsUrl: deps.hasWalletsUrl };
  const route = browserRoute<SignedIn>();
  const key = "/accounts/:account/wallets/:wallet/keys/:key";

  return [
    route({
      method: "GET",
      path: "/accounts/:account/wallets",
      response: OperatorWallets,
      handle: (request) => list(request),
    }),
    route({
      method: "PUT",
      path: "/accounts/:account/wallets/:wallet",
      body: SaveWallet,
      response: OperatorWallet,
      handle: (request) => save(request),
    }),
    route({
      method: "POST",
      path: "/accounts/:account/wallets/:wallet/keys",
      body: CreateWalletKey,
      response: OperatorWallet,
      handle: (request) => createKey(request),
    }),
    route({
      method: "GET",
      path: `${key}/certificate_request`,
      response: WalletCertificateRequest,
      handle: (request) => requestCertificate(request),
    }),
    route({
      method: "PUT",
      path: `${key}/certificate`,
      body: StoreWalletCertificate,
      response: OperatorWallet,
      handle: (request) => storeCertificate(request),
    }),
    route({
      method: "POST",
      path: `${key}/promote`,
      body: ChangeWalletKey,
      response: OperatorWallet,
      handle: (request) => promote(request),
    }),
    route({
      method: "POST",
      path: `${key}/remove`,
      body: ChangeWalletKey,
      response: OperatorWallet,
      handle: (request) => remove(request),
    }),
  ];

  async function list(request: OperatorRequest) {
    const account = await knownAccount(request);
    const [configurations, stored] = await Promise.all([
      listConfigurations(database.read, account),
      listKeys(database.read, account),
    ]);
    const data = liveWallets.map((wallet) => {
      const found = configurations.find((one) => one.wallet === wallet) ?? null;
      return walletObject(account, wallet, found, stored, service, clock.now());
    });
    const service_domain = new URL(deps.publicUrl()).hostname;
    return ok({ object: "list", environment, service_domain, data });
  }

  async function save(request: OperatorRequest<SaveWallet>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = await knownAccount(request);
    const wallet = walletIn(request);
    const { body } = request;
    assertTermsFit(wallet, body);
    await database.transaction(async (tx) => {
      const before = await lockConfiguration(tx, account, wallet);
      if ((before?.version ?? 0) !== body.version) throw changedSince("wallet configuration");
      await assertMerchantIdFits(tx, before, body);
      const after: WalletConfiguration = {
        account,
        wallet,
        integration: body.integration,
        status: body.status,
        merchantId: body.merchant_id,
        displayName: body.display_name,
        domains: body.domains,
        domainAssociation: associationAfter(before, body, now),
        updatedAt: now,
        version: body.version + 1,
      };
      const isStored = before
        ? await updateConfiguration(tx, body.version, after)
        : await insertConfiguration(tx, after);
      if (!isStored) throw changedSince("wallet configuration");
      await audit(tx, request, account, "wallet.configured", {
        object: account,
        ...(before && { before: configurationValues(before) }),
        after: configurationValues(after),
        reason: body.reason,
      });
    });
    return ok(await shown(account, wallet));
  }

  /** Creates a pending key. It is generated and encrypted before the transaction, because that takes some time. */
  async function createKey(request: OperatorRequest<CreateWalletKey>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = await knownAccount(request);
    const { configuration, wallet } = await configured(request, account);
    const { purpose, reason } = request.body;
    assertPurposeFits(configuration, purpose);
    const { publicKey, privateKey } = await generateWalletKey(purpose);
    const id = newId("wk", now);
    const encrypted = await encryptPrivateKey(keys, account, id, privateKey);
    const pending: WalletKey = {
      id,
      account,
      wallet,
      purpose,
      publicKey,
      certificate: null,
      status: "pending",
      version: 1,
    };
    await database.transaction(async (tx) => {
      if (!(await insertKey(tx, pending, encrypted))) {
        throw new ApiError(
          "status_transition_invalid",
          "The wallet already has a pending key for this purpose. Activate or remove it first.",
        );
      }
      await audit(tx, request, account, "wallet_key.created", {
        object: id,
        after: keyValues(pending),
        reason,
      });
    });
    return created(await shown(account, wallet));
  }

  async function requestCertificate(request: OperatorRequest) {
    const account = await knownAccount(request);
    const found = await keyIn(request, account);
    const encrypted = await readPrivateKey(database.read, account, found.id);
    if (found.wallet !== "apple_pay" || !encrypted) throw noSuch("certificate request", found.id);
    const privateKey = await decryptPrivateKey(keys, account, found.id, encrypted);
    const { publicKey, purpose } = found;
    const pem = certificateRequest({ publicKey, privateKey }, purpose, found.id);
    privateKey.fill(0);
    return ok({ certificate_request: pem });
  }

  async function storeCertificate(request: OperatorRequest<StoreWalletCertificate>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = await knownAccount(request);
    const { wallet } = await configured(request, account);
    const before = await keyIn(request, account, request.body.version);
    const { certificate: text, reason } = request.body;
    await database.transaction(async (tx) => {
      // The lock keeps the merchant identifier, for which the certificate must be, until the certificate is stored.
      const configuration = await lockConfiguration(tx, account, wallet);
      if (wallet !== "apple_pay" || !configuration || configuration.merchantId === null) {
        throw certificateRejected("is only for keys of Apple Pay. Google Pay uses public keys");
      }
      const read = readAppleCertificate(text, before, configuration.merchantId, now);
      if (read.kind === "problem") throw certificateRejected(read.problem);
      const { der, expiresAt } = read;
      const after: WalletKey = { ...before, certificate: { der, expiresAt } };
      if (!(await updateKey(tx, before, after))) throw changedSince("wallet key");
      await audit(tx, request, account, "wallet_key.certificate_stored", {
        object: before.id,
        before: keyValues(before),
        after: keyValues(after),
        reason,
      });
    });
    return ok(await shown(account, wallet));
  }

  async function promote(request: OperatorRequest<ChangeWalletKey>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = await knownAccount(request);
    const before = await keyIn(request, account, request.body.version);
    await database.transaction(async (tx) => {
      const { key: after, previous } = await promoteKey(tx, before, now);
      await audit(tx, request, account, "wallet_key.promoted", {
        object: before.id,
        before: keyValues(before),
        after: { ...keyValues(after), replaced: previous?.id ?? null },
        reason: request.body.reason,
      });
    });
    return ok(await shown(account, before.wallet));
  }

  /** Removes a key with its private key. Tokens that are encrypted to it can no longer be decrypted. */
  async function remove(request: OperatorRequest<ChangeWalletKey>) {
    requireRecentStepUp(request, clock.now());
    const account = await knownAccount(request);
    const before = await keyIn(request, account, request.body.version);
    await database.transaction(async (tx) => {
      if (!(await deleteKey(tx, before))) throw changedSince("wallet key");
      await audit(tx, request, account, "wallet_key.removed", {
        object: before.id,
        before: keyValues(before),
        reason: request.body.reason,
      });
    });
    return ok(await shown(account, before.wallet));
  }

  async function shown(account: AccountId, wallet: LiveWallet): Promise<OperatorWallet> {
    const configuration = await readConfiguration(database.read, account, wallet);
    const stored = await listKeys(database.read, account);
    return walletObject(account, wallet, configuration, stored, service, clock.now());
  }

  async function knownAccount(request: OperatorRequest): Promise<AccountId> {
    const account = accountIn(request);
    if (!(await readAccount(database.read, account))) throw noSuch("account", account);
    return account;
  }

  async function configured(request: OperatorRequest, account: AccountId) {
    const wallet = walletIn(request);
    const configuration = await readConfiguration(database.read, account, wallet);
    if (!configuration) throw noSuch("wallet configuration", wallet);
    return { configuration, wallet };
  }

  /** Returns the key in the path. Throws if its version is not the one that the operator saw. */
  async function keyIn(
    request: OperatorRequest,
    account: AccountId,
    version?: number,
  ): Promise<WalletKey> {
    const wallet = walletIn(request);
    const text = request.params.key as string;
    const id = parseId("wk", text);
    const found = id && (await listKeys(database.read, account)).find((one) => one.id === id);
    if (!found || found.wallet !== wallet) throw noSuch("wallet key", text);
    if (version !== undefined && found.version !== version) throw changedSince("wallet key");
    return found;
  }

  function audit(
    tx: Tx,
    request: OperatorRequest,
    account: AccountId,
    action: AuditAction,
    done: Omit<Parameters<typeof operatorAuditEntry>[1], "account" | "action">,
  ): Promise<void> {
    return recordAuditEntry(tx, operatorAuditEntry(request, { account, action, ...done }), clock);
  }
}

function walletIn({ params }: OperatorRequest): LiveWallet {
  const wallet = liveWallets.find((name) => name === params.wallet);
  if (!wallet) throw noSuch("wallet", params.wallet as string);
  return wallet;
}

/** Throws if the terms do not fit the wallet. */
function assertTermsFit(wallet: LiveWallet, body: SaveWallet): void {
  if (wallet === "apple_pay") {
    if (body.merchant_id !== null) return;
    const message =
      "`merchant_id` must be the merchant identifier that is registered with Apple, such as 'merchant.com.example'. Got null.";
    throw new ApiError("parameter_invalid", message, { param: "merchant_id" });
  }
  if (body.domains.length > 0) throw onlyForApplePay("domains");
  if (body.domain_association) throw onlyForApplePay("domain_association");
}

function onlyForApplePay(param: string): ApiError {
  const message = `\`${param}\` must be empty for Google Pay, which has no domains to verify.`;
  return new ApiError("parameter_invalid", message, { param });
}

/** Returns the file for Apple after a change. A change without a file keeps the stored file and its time. */
function associationAfter(
  before: WalletConfiguration | null,
  { domain_association: file }: SaveWallet,
  now: Date,
): DomainAssociation | null {
  if (file === undefined) return before?.domainAssociation ?? null;
  return file === null ? null : { file, storedAt: now };
}

/** Throws if the merchant identifier changes while certificates for the old one are stored. */
async function assertMerchantIdFits(
  tx: Tx,
  before: WalletConfiguration | null,
  { merchant_id }: SaveWallet,
): Promise<void> {
  if (before?.wallet !== "apple_pay" || before.merchantId === merchant_id) return;
  const stored = await listKeys(tx, before.account);
  if (!stored.some(({ wallet, certificate }) => wallet === "apple_pay" && certificate)) return;
  throw new ApiError(
    "parameter_invalid",
    "`merchant_id` must stay the same while keys have certificates for it. Remove the keys first.",
    { param: "merchant_id" },
  );
}

function assertPurposeFits(
  configuration: WalletConfiguration,
  purpose: CreateWalletKey["purpose"],
): void {
  if (neededPurposes(configuration).includes(purpose)) return;
  const message =
    purpose === "merchant_identity"
      ? "`purpose` must be 'payment_processing' for Google Pay."
      : "`purpose` must be 'merchant_identity', because the acquirer decrypts the tokens of this wallet.";
  throw new ApiError("parameter_invalid", message, { param: "purpose" });
}

function certificateRejected(problem: string): ApiError {
  return new ApiError("parameter_invalid", `\`certificate\` ${problem}.`, { param: "certificate" });
}

function configurationValues(configuration: WalletConfiguration): AuditValues {
  const { wallet, integration, status, merchantId, displayName, domains } = configuration;
  return {
    wallet,
    integration,
    status,
    merchant_id: merchantId,
    display_name: displayName,
    domains,
    has_domain_association: configuration.domainAssociation !== null,
  };
}

/** Returns the public values of a key, for the audit log. */
export function keyValues({
  wallet,
  purpose,
  status,
  publicKey,
  certificate,
}: WalletKey): AuditValues {
  return {
    wallet,
    purpose,
    status,
    public_key_fingerprint: fingerprintOf(publicKey),
    certificate_fingerprint: certificate && fingerprintOf(certificate.der),
    certificate_expires_at: certificate?.expiresAt.toISOString() ?? null,
  };
}
