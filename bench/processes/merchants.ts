import type { AccountId } from "@florin/server/core/ids.ts";

export type ServerSettings = {
  readonly databaseUrl: string;
  readonly directory: string;
  /** True if the process also runs the jobs, which is the default. */
  readonly workers?: boolean;
};

export type Merchant = { readonly account: AccountId; readonly secretKey: string };

/** The URL of a server, with merchants and their keys. */
export type Merchants = {
  readonly url: string;
  /** Has no webhook endpoint. */
  readonly merchant: Merchant;
  /** Receives a webhook for every payment, once the bench has registered its receiver. */
  readonly listener: Merchant;
};

/** A server of charges with a separate database. */
export type Server = Merchants & { readonly pid: number; readonly databaseUrl: string };
