import type { Account as AccountObject } from "@florin/contract/account.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt } from "../../core/ids.ts";
import { type Account, settingsOf } from "./account.ts";
import { canCharge, type IsConnected } from "./charging.ts";

/** Returns the account as merchants see it. */
export function accountObject(
  account: Account,
  livemode: boolean,
  isConnected: IsConnected,
): AccountObject {
  const settings = settingsOf(account, livemode);
  return {
    id: account.id,
    object: "account",
    livemode,
    created: unixSeconds(createdAt(account.id)),
    name: account.name,
    country: account.country,
    status: account.status,
    application_status: account.applicationStatus,
    approved_at: account.approvedAt && unixSeconds(account.approvedAt),
    charges_enabled: canCharge(account, livemode, isConnected),
    payout_schedule: settings.payoutSchedule,
    allowed_origins: [...settings.allowedOrigins],
    email_receipts: settings.emailReceipts,
    support_email: account.profile.supportEmail,
    support_phone: account.profile.supportPhone,
    statement_descriptor: account.profile.statementDescriptor,
    time_zone: account.profile.timeZone,
    brand_color: account.profile.brandColor,
    background_color: account.profile.backgroundColor,
    logo_path: logoPath(account),
    version: account.version + settings.changes,
  };
}

/**
 * Returns the path of the account's logo on the service's origin. The path changes with the logo, so that browsers can
 * cache it.
 */
export function logoPath({ id, profile }: Pick<Account, "id" | "profile">): string | null {
  return profile.logo && `/branding/${id}/${profile.logo}`;
}
