import { isDeepStrictEqual } from "node:util";
import { noSuch } from "../../core/api-error.ts";
import {
  lockAccount,
  readAccount,
  updateAccountProfile,
} from "../../identity/accounts/account.sql.ts";
import type { Account } from "../../identity/accounts/account.ts";
import { accountObject } from "../../identity/accounts/account-object.ts";
import type { AccountProfile } from "../../identity/accounts/account-profile.ts";
import { auditEntryOf } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type ApiRequest, type ApiResponse, ok } from "../../platform/http/route.ts";
import { announceAccount } from "../../webhooks/events/announce-account.ts";
import type { AccountSettingsDeps } from "./account-settings.routes.ts";

/** The new values of the changed fields. */
export type ProfileChange = Partial<AccountProfile> & { readonly name?: string };

/**
 * Changes the profile, and returns the account object. `write` writes the part of the change that is stored in other
 * tables. It is called only if the profile changes.
 */
export async function editProfile(
  deps: AccountSettingsDeps,
  request: ApiRequest,
  change: ProfileChange,
  write: (tx: Tx) => Promise<void> = async () => {},
): Promise<ApiResponse> {
  const { clock, idempotencyKeys, isConnected, wakeDeliveries } = deps;
  const { scope, idempotency, id } = request;
  const response = await idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
    // Serializes updates. Otherwise two concurrent updates would report the same previous profile.
    await lockAccount(tx, scope.account);
    const account = await readAccount(tx, scope.account);
    if (!account) throw noSuch("account", scope.account);
    const { name = account.name, ...fields } = change;
    const next: Account = { ...account, name, profile: { ...account.profile, ...fields } };
    if (isDeepStrictEqual(next, account)) {
      return ok(accountObject(account, scope.livemode, isConnected));
    }
    await write(tx);
    await updateAccountProfile(tx, next);
    const cause = { id, idempotencyKey: idempotency?.key ?? null };
    const updated = await announceAccount(tx, account, { cause, now: clock.now(), isConnected });
    const entry = auditEntryOf(request, {
      livemode: null,
      action: "account.updated",
      object: scope.account,
      ...differences(account, updated),
    });
    await recordAuditEntry(tx, entry, clock);
    return ok(accountObject(updated, scope.livemode, isConnected));
  });
  wakeDeliveries();
  return response;
}

/** Returns the previous and the new values of the fields that differ. */
function differences(before: Account, after: Account) {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const changed = Object.keys(now).filter((field) => old[field] !== now[field]);
  const only = (values: ProfileValues) =>
    Object.fromEntries(changed.map((field) => [field, values[field] ?? null]));
  return { before: only(old), after: only(now) };
}

type ProfileValues = Readonly<Record<string, string | null>>;

function valuesOf({ name, profile }: Account): ProfileValues {
  return {
    name,
    support_email: profile.supportEmail,
    support_phone: profile.supportPhone,
    statement_descriptor: profile.statementDescriptor,
    time_zone: profile.timeZone,
    brand_color: profile.brandColor,
    background_color: profile.backgroundColor,
    logo: profile.logo,
  };
}
