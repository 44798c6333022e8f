import type { AccountStatus, PayoutSchedule } from "@florin/contract/account.ts";
import type { ApplicationStatus } from "@florin/contract/application.ts";
import type { CurrencyAmounts } from "@florin/contract/currency.ts";
import type { AccountId } from "../primitives/ids.ts";
import type { Currency } from "../primitives/money.ts";

/** A merchant. */
export type Account = {
  readonly id: AccountId;
  readonly name: string;
  readonly country: string;
  readonly status: AccountStatus;
  /** How far the application for live mode is. */
  readonly applicationStatus: ApplicationStatus;
  /** Hundredths of a percent of each payment. */
  readonly feeBasisPoints: number;
  readonly amounts: AmountsByCurrency;
  /** The merchant's own settings, by mode. */
  readonly settings: { readonly test: ModeSettings; readonly live: ModeSettings };
  /** When underwriting opened live mode; null: not yet. */
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
  /** The number of changes so far. */
  readonly changes: number;
};

const defaultSettings: ModeSettings = { payoutSchedule: "manual", allowedOrigins: [], changes: 0 };

/** What the operator lets one account do beside what the whole service allows. */
export type AccountLimits = {
  /** In each mode; null: as many as the service's own setting says. */
  readonly requestsPerSecond: number | null;
};

/** The operator's overrides of `defaultAmounts`, by currency. */
export type AmountsByCurrency = Readonly<Partial<Record<Currency, Partial<CurrencyAmounts>>>>;

/** What a new merchant begins with. */
export const newAccount = {
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
