import {
  ChangeWalletKey,
  CreateWalletKey,
  OperatorWallet,
  StoreWalletCertificate,
  WalletCertificateRequest,
} from "@florin/contract/operator-wallets.ts";
import { changedSince } from "../../acquiring/connections/change-connection.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { type AccountId, newId, parseId } from "../../core/ids.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { created, ok } from "../../platform/http/route.ts";
import { readAppleCertificate } from "../../vault/wallets/configurations/apple-certificate.ts";
import { certificateRequest } from "../../vault/wallets/configurations/certificate-request.ts";
import {
  lockConfiguration,
  readConfiguration,
} from "../../vault/wallets/configurations/wallet-configuration.sql.ts";
import type { WalletConfiguration } from "../../vault/wallets/configurations/wallet-configuration.ts";
import {
  deleteKey,
  insertKey,
  listKeys,
  updateKey,
} from "../../vault/wallets/configurations/wallet-key.sql.ts";
import { fingerprintOf, type WalletKey } from "../../vault/wallets/configurations/wallet-key.ts";
import {
  encryptPrivateKey,
  generateWalletKey,
  readDecryptedKey,
} from "../../vault/wallets/configurations/wallet-key-secrets.ts";
import { neededPurposes } from "../../vault/wallets/configurations/why-not-offered.ts";
import {
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "../operator/operator-request.ts";
import { promoteKey } from "./promote-wallet-key.ts";
import { readKnownAccount, readWallet, type WalletRouteDeps, walletIn } from "./wallet-request.ts";

/**
 * Serves the keys of the wallets of accounts in live mode. A change requires a recent step-up and is audited. It needs no
 * second operator, because no key can redirect money: a token can be charged only over the account's own assignments.
 */
export function walletKeyRoutes(deps: WalletRouteDeps): BrowserRoute<SignedIn>[] {
  const { database, clock, keys } = deps;
  const route = browserRoute<SignedIn>();
  const key = "/accounts/:account/wallets/:wallet/keys/:key";

  return [
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

  /** Creates a pending key. It is generated and encrypted before the transaction, because that takes some time. */
  async function createKey(request: OperatorRequest<CreateWalletKey>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = await readKnownAccount(deps, request);
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
      const entry = operatorAuditEntry(request, {
        account,
        action: "wallet_key.created",
        object: id,
        after: keyValues(pending),
        reason,
      });
      await recordAuditEntry(tx, entry, clock);
    });
    return created(await readWallet(deps, account, wallet));
  }

  async function requestCertificate(request: OperatorRequest) {
    const account = await readKnownAccount(deps, request);
    const found = await keyIn(request, account);
    const isApplePay = found.wallet === "apple_pay";
    const privateKey = isApplePay ? await readDecryptedKey(deps, account, found.id) : null;
    if (!privateKey) throw noSuch("certificate request", found.id);
    const { publicKey, purpose } = found;
    const pem = certificateRequest({ publicKey, privateKey }, purpose, found.id);
    privateKey.fill(0);
    return ok({ certificate_request: pem });
  }

  async function storeCertificate(request: OperatorRequest<StoreWalletCertificate>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = await readKnownAccount(deps, request);
    const { wallet } = await configured(request, account);
    const before = await keyIn(request, account, request.body.version);
    const { certificate: text, reason } = request.body;
    await database.transaction(async (tx) => {
      // The certificate must be for the merchant identifier. The lock prevents a change of the identifier until the
      // certificate is stored.
      const configuration = await lockConfiguration(tx, account, wallet);
      if (wallet !== "apple_pay" || !configuration || configuration.merchantId === null) {
        throw certificateRejected("is only for keys of Apple Pay. Google Pay uses public keys");
      }
      const read = readAppleCertificate(text, before, configuration.merchantId, now);
      if (read.kind === "problem") throw certificateRejected(read.problem);
      const { der, expiresAt } = read;
      const after: WalletKey = { ...before, certificate: { der, expiresAt } };
      if (!(await updateKey(tx, before, after))) throw changedSince("wallet key");
      const entry = operatorAuditEntry(request, {
        account,
        action: "wallet_key.certificate_stored",
        object: before.id,
        before: keyValues(before),
        after: keyValues(after),
        reason,
      });
      await recordAuditEntry(tx, entry, clock);
    });
    return ok(await readWallet(deps, account, wallet));
  }

  async function promote(request: OperatorRequest<ChangeWalletKey>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = await readKnownAccount(deps, request);
    const before = await keyIn(request, account, request.body.version);
    await database.transaction(async (tx) => {
      const { key: after, previous } = await promoteKey(tx, before, now);
      const entry = operatorAuditEntry(request, {
        account,
        action: "wallet_key.promoted",
        object: before.id,
        before: keyValues(before),
        after: { ...keyValues(after), replaced: previous?.id ?? null },
        reason: request.body.reason,
      });
      await recordAuditEntry(tx, entry, clock);
    });
    return ok(await readWallet(deps, account, before.wallet));
  }

  /** Removes a key with its private key. Tokens that are encrypted to it can no longer be decrypted. */
  async function remove(request: OperatorRequest<ChangeWalletKey>) {
    requireRecentStepUp(request, clock.now());
    const account = await readKnownAccount(deps, request);
    const before = await keyIn(request, account, request.body.version);
    await database.transaction(async (tx) => {
      if (!(await deleteKey(tx, before))) throw changedSince("wallet key");
      const entry = operatorAuditEntry(request, {
        account,
        action: "wallet_key.removed",
        object: before.id,
        before: keyValues(before),
        reason: request.body.reason,
      });
      await recordAuditEntry(tx, entry, clock);
    });
    return ok(await readWallet(deps, account, before.wallet));
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
}

function assertPurposeFits(
  configuration: WalletConfiguration,
  purpose: CreateWalletKey["purpose"],
): void {
  if (neededPurposes(configuration).includes(purpose)) return;
  const message =
    purpose === "merchant_identity"
      ? "`purpose` can be 'merchant_identity' only for Apple Pay. Google Pay needs keys only with the direct integration, with the purpose 'payment_processing'."
      : "`purpose` can be 'payment_processing' only with the direct integration, because with the gateway integration the acquirer decrypts the tokens. Change the integration first. For Apple Pay, you can create a key with the purpose 'merchant_identity'.";
  throw new ApiError("parameter_invalid", message, { param: "purpose" });
}

function certificateRejected(problem: string): ApiError {
  return new ApiError("parameter_invalid", `\`certificate\` ${problem}.`, { param: "certificate" });
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
