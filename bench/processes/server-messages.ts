import type { AdyenAccount } from "@florin/example-live-sandbox/connect-adyen.ts";
import type { AccountId } from "@florin/server/core/ids.ts";

/** The settings with which the bench starts a server process. */
export type ServerSettings = {
  readonly databaseUrl: string;
  readonly directory: string;
  /** True if the process also runs the jobs, which is the default. */
  readonly workers?: boolean;
  /** The number of server processes. 1 by default. */
  readonly processes?: number;
  /** The number of merchants to create in addition to the default ones. */
  readonly merchants?: number;
  /** The collector of traces, and the share of the requests whose traces the server sends to it. */
  readonly tracing?: { readonly url: string; readonly ratio: number };
  /** The URL of a fake of Adyen, to which the server sends the charges of live mode. */
  readonly adyenUrl?: string;
};

/** The settings with which the bench starts the fake of Adyen. */
export type AdyenSettings = {
  readonly account: AdyenAccount;
  readonly responseDelayMs: number;
};

export type Merchant = { readonly account: AccountId; readonly secretKey: string };

/** The message that a server process sends when it is ready. */
export type ServerReady = {
  readonly url: string;
  /** A merchant without a webhook endpoint. */
  readonly merchant: Merchant;
  /** The merchants that the settings request in addition to the default ones. */
  readonly merchants: readonly Merchant[];
  /** A merchant that receives a webhook for every payment after the bench has registered the receiver. */
  readonly listener: Merchant;
  /** The credentials with which the bench sets up live mode. Null if the process is a floor, which has no live mode. */
  readonly people: {
    readonly owner: { readonly email: string; readonly password: string };
    /** The token of the link with which the first operator signs up. */
    readonly operatorToken: string;
  } | null;
};

/** A running server process with a separate database. */
export type Server = ServerReady & { readonly pid: number; readonly databaseUrl: string };
