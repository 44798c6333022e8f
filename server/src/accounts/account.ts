import type {
  Account as AccountObject,
  AccountStatus,
  PayoutSchedule,
} from "@florin/contract/account.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { type AccountId, createdAt } from "../primitives/ids.ts";
import type { Pricing } from "../primitives/pricing.ts";

/** A merchant. */
export type Account = {
  readonly id: AccountId;
  readonly name: string;
  readonly country: string;
  readonly status: AccountStatus;
  readonly pricing: Pricing;
  /** What a dispute costs, whoever wins it. */
  readonly disputeFeeMinor: number;
  readonly payoutSchedule: PayoutSchedule;
  /** Origins that may frame the card form of any of its sessions (contract §5). */
  readonly allowedOrigins: readonly string[];
};

export function accountObject(account: Account, livemode: boolean): AccountObject {
  return {
    id: account.id,
    object: "account",
    livemode,
    created: unixSeconds(createdAt(account.id)),
    name: account.name,
    country: account.country,
    status: account.status,
    charges_enabled: canCharge(account, livemode),
    payout_schedule: account.payoutSchedule,
    allowed_origins: [...account.allowedOrigins],
  };
}

/** Test mode always, short of a closed account; live mode after underwriting (spec §5.3). */
export function canCharge({ status }: Account, livemode: boolean): boolean {
  return livemode ? status === "approved" : status !== "closed";
}
