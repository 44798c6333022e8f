import { isDeepStrictEqual } from "node:util";
import { Account as AccountSchema, UpdateAccount } from "@florin/contract/account.ts";
import { noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import {
  lockAccount,
  readAccount,
  updateAccountSettings,
} from "../../identity/accounts/account.sql.ts";
import { type ModeSettings, settingsOf } from "../../identity/accounts/account.ts";
import { accountObject } from "../../identity/accounts/account-object.ts";
import type { IsConnected } from "../../identity/accounts/charging.ts";
import { auditEntryOf } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import { type ApiRequest, ok, type Route, route } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import { announceAccount } from "../../webhooks/events/announce-account.ts";

export type AccountSettingsDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly isConnected: IsConnected;
  readonly wakeDeliveries: () => void;
};

/** Serves the endpoint that changes a merchant's settings. Each mode has separate settings. */
export function accountSettingsRoutes(deps: AccountSettingsDeps): Route[] {
  const { clock, idempotencyKeys, isConnected, wakeDeliveries } = deps;

  return [
    route({
      method: "POST",
      path: "/account",
      summary: "Update your account",
      permission: "account:write",
      // Requires a step-up for two reasons: a page that frames the card form can read what customers type outside the
      // form, and the payout schedule moves money.
      stepUp: true,
      body: UpdateAccount,
      response: AccountSchema,
      status: 200,
      handle: (request) => update(request),
    }),
  ];

  async function update(request: ApiRequest<UpdateAccount>) {
    const { scope, body, idempotency, id } = request;
    const response = await idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      // Serializes updates. Otherwise two concurrent updates would report the same previous settings.
      await lockAccount(tx, scope.account);
      const account = await readAccount(tx, scope.account);
      if (!account) throw noSuch("account", scope.account);
      const before = settingsOf(account, scope.livemode);
      const after = { ...before, ...changeIn(body) };
      if (isDeepStrictEqual(after, before)) {
        return ok(accountObject(account, scope.livemode, isConnected));
      }
      await updateAccountSettings(tx, scope, after, clock.now());
      const cause = { id, idempotencyKey: idempotency?.key ?? null };
      const announced = { cause, now: clock.now(), isConnected };
      const updated = await announceAccount(tx, account, announced);
      const entry = auditEntryOf(request, {
        action: "account.updated",
        object: scope.account,
        before: settingsIn(body, before),
        after: settingsIn(body, after),
      });
      await recordAuditEntry(tx, entry, clock);
      return ok(accountObject(updated, scope.livemode, isConnected));
    });
    wakeDeliveries();
    return response;
  }
}

function changeIn(body: UpdateAccount): Partial<ModeSettings> {
  const { payout_schedule, allowed_origins, email_receipts } = body;
  return {
    ...(payout_schedule && { payoutSchedule: payout_schedule }),
    ...(allowed_origins && { allowedOrigins: allowed_origins }),
    ...(email_receipts !== undefined && { emailReceipts: email_receipts }),
  };
}

/** Returns the current values of the settings that the request changes. */
function settingsIn(body: UpdateAccount, settings: ModeSettings) {
  return {
    ...(body.payout_schedule && { payout_schedule: settings.payoutSchedule }),
    ...(body.allowed_origins && { allowed_origins: settings.allowedOrigins }),
    ...(body.email_receipts !== undefined && { email_receipts: settings.emailReceipts }),
  };
}
