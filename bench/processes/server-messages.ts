import type { AccountId } from "@florin/server/core/ids.ts";

/** The settings with which the bench starts a server process. */
export type ServerSettings = {
  readonly databaseUrl: string;
  readonly directory: string;
  /** True if the process also runs the jobs, which is the default. */
  readonly workers?: boolean;
};

export type Merchant = { readonly account: AccountId; readonly secretKey: string };

/** The message of a server process that is ready: its URL, and two merchants. */
export type ServerReady = {
  readonly url: string;
  /** A merchant without a webhook endpoint. */
  readonly merchant: Merchant;
  /** A merchant that receives a webhook for every payment after the bench has registered the receiver. */
  readonly listener: Merchant;
};

/** A running server process with a separate database. */
export type Server = ServerReady & { readonly pid: number; readonly databaseUrl: string };
