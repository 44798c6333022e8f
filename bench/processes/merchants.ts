import type { AccountId } from "@florin/server/primitives/ids.ts";

export type ServerSettings = {
  readonly databaseUrl: string;
  readonly directory: string;
  /** Whether it also runs the jobs; it does, when left out. */
  readonly workers?: boolean;
};

export type Merchant = { readonly account: AccountId; readonly secretKey: string };

/** Where a server is, and who may ask it for something. */
export type Merchants = {
  readonly url: string;
  /** Has no webhook endpoint. */
  readonly merchant: Merchant;
  /** Is told of every payment, once the bench has registered its receiver. */
  readonly listener: Merchant;
};

/** A server of charges with a database of its own. */
export type Server = Merchants & { readonly pid: number; readonly databaseUrl: string };
