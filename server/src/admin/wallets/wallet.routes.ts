import { OperatorWallet, OperatorWallets, SaveWallet } from "@florin/contract/operator-wallets.ts";
import { type DigitalWallet, digitalWallets } from "@florin/contract/payment-method.ts";
import { changedSince } from "../../acquiring/connections/change-connection.ts";
import { ApiError } from "../../core/api-error.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import {
  insertConfiguration,
  listConfigurations,
  lockConfiguration,
  updateConfiguration,
} from "../../vault/wallets/configurations/wallet-configuration.sql.ts";
import type {
  DomainAssociation,
  WalletConfiguration,
} from "../../vault/wallets/configurations/wallet-configuration.ts";
import { listKeys } from "../../vault/wallets/configurations/wallet-key.sql.ts";
import {
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "../operator/operator-request.ts";
import { walletObject } from "./wallet-object.ts";
import {
  readKnownAccount,
  readWallet,
  serviceOf,
  type WalletRouteDeps,
  walletIn,
} from "./wallet-request.ts";

/**
 * Serves the configurations of the wallets of accounts in live mode. A change requires a recent step-up and is audited.
 * It needs no second operator, because a token can be charged only over the account's own assignments.
 */
export function walletRoutes(deps: WalletRouteDeps): BrowserRoute<SignedIn>[] {
  const { database, clock, environment } = deps;
  const route = browserRoute<SignedIn>();

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
  ];

  async function list(request: OperatorRequest) {
    const account = await readKnownAccount(deps, request);
    const [configurations, keys] = await Promise.all([
      listConfigurations(database.read, account),
      listKeys(database.read, account),
    ]);
    const data = digitalWallets.map((wallet) => {
      const configuration = configurations.find((one) => one.wallet === wallet) ?? null;
      const found = { account, wallet, configuration, keys };
      return walletObject(found, serviceOf(deps), clock.now());
    });
    const service_domain = new URL(deps.publicUrl()).hostname;
    return ok({ object: "list", environment, service_domain, data });
  }

  async function save(request: OperatorRequest<SaveWallet>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = await readKnownAccount(deps, request);
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
      const entry = operatorAuditEntry(request, {
        account,
        action: "wallet.configured",
        object: account,
        ...(before && { before: configurationValues(before) }),
        after: configurationValues(after),
        reason: body.reason,
      });
      await recordAuditEntry(tx, entry, clock);
    });
    return ok(await readWallet(deps, account, wallet));
  }
}

/** Throws if the terms do not fit the wallet. */
function assertTermsFit(wallet: DigitalWallet, body: SaveWallet): void {
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
