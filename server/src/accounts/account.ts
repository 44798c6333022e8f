import type { AccountStatus, PayoutSchedule } from "@florin/contract/account.ts";
import type { ApplicationStatus } from "@florin/contract/application.ts";
import type { AccountId } from "../primitives/ids.ts";
import type { Currency } from "../primitives/money.ts";
import type { Pricing } from "../primitives/pricing.ts";

/** A merchant. */
export type Account = {
  readonly id: AccountId;
  readonly name: string;
  readonly country: string;
  readonly status: AccountStatus;
  /** How far the application for live mode is. */
  readonly applicationStatus: ApplicationStatus;
  readonly pricing: Pricing;
  /** What a dispute costs, whoever wins it. */
  readonly disputeFeeMinor: number;
  readonly payoutSchedule: PayoutSchedule;
  /** Origins that may frame the card form of any of its sessions (contract §5). */
  readonly allowedOrigins: readonly string[];
  /** When underwriting opened live mode; null: not yet. */
  readonly approvedAt: Date | null;
  readonly limits: AccountLimits;
  /** Grows with every change, also of the application. */
  readonly version: number;
};

/** What the operator lets one account do beside what the whole service allows. */
export type AccountLimits = {
  /** In each mode; null: as many as the service's own setting says. */
  readonly requestsPerSecond: number | null;
  /** The largest charge of each currency that has a limit, in its smallest unit. */
  readonly largestCharges: Readonly<Partial<Record<Currency, number>>>;
};

/** What a new merchant begins with. */
export const newAccount = {
  status: "test_only",
  applicationStatus: "draft",
  pricing: { basisPoints: 290, fixedMinor: 30 },
  disputeFeeMinor: 1_500,
  payoutSchedule: "manual",
  allowedOrigins: [],
  approvedAt: null,
  limits: { requestsPerSecond: null, largestCharges: {} },
} as const satisfies Partial<Account>;
