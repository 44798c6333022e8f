import type { AccountStatus, PayoutSchedule } from "@florin/contract/account.ts";
import type { ApplicationStatus } from "@florin/contract/application.ts";
import type { CurrencyAmounts } from "@florin/contract/currency.ts";
import type { AccountId } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import { type AccountProfile, emptyProfile } from "./account-profile.ts";

/** A merchant's account. */
export type Account = {
  readonly id: AccountId;
  readonly name: string;
  readonly country: string;
  readonly profile: AccountProfile;
  readonly status: AccountStatus;
  /** The status of the application for live mode. */
  readonly applicationStatus: ApplicationStatus;
  /** The fee for each payment, in basis points of its amount. */
  readonly feeBasisPoints: number;
  readonly amounts: AmountsByCurrency;
  /** The merchant's own settings, by mode. */
  readonly settings: { readonly test: ModeSettings; readonly live: ModeSettings };
  /** The time when underwriting enabled live mode, or null. */
  readonly approvedAt: Date | null;
  readonly limits: AccountLimits;
  /** Incremented by every change to data that both modes share, including the application. */
  readonly version: number;
};

/** The settings of one mode. */
export type ModeSettings = {
  readonly payoutSchedule: PayoutSchedule;
  /** Origins that may frame the card form of any session of this mode. */
  readonly allowedOrigins: readonly string[];
  /** True if customers get a receipt by email after each successful payment and refund. */
  readonly emailReceipts: boolean;
  /** Incremented by every change of these settings. */
  readonly changes: number;
};

const defaultSettings: ModeSettings = {
  payoutSchedule: "manual",
  allowedOrigins: [],
  emailReceipts: false,
  changes: 0,
};

/** The operator's limits for one account. They override the defaults of the service. */
export type AccountLimits = {
  /** The maximum in each mode. Null uses the default of the service. */
  readonly requestsPerSecond: number | null;
};

/** The operator's overrides of `defaultAmounts`, by currency. */
export type AmountsByCurrency = Readonly<Partial<Record<Currency, Partial<CurrencyAmounts>>>>;

/** The initial values of a new merchant. */
export const newAccount = {
  profile: emptyProfile,
  status: "test_only",
  applicationStatus: "draft",
  feeBasisPoints: 290,
  amounts: {},
  settings: { test: defaultSettings, live: defaultSettings },
  approvedAt: null,
  limits: { requestsPerSecond: null },
} as const satisfies Partial<Account>;

/** Returns the settings of the mode. */
export function settingsOf({ settings }: Account, livemode: boolean): ModeSettings {
  return livemode ? settings.live : settings.test;
}
