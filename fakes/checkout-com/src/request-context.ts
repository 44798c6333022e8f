import type { EventFault } from "@florin/shared-fake/event-outbox.ts";
import type { Platform } from "./platform.ts";
import type { Account } from "./records.ts";

/** The execution of an accepted action, which follows the response. */
export type Deferred = { readonly delayMs: number; readonly run: () => void };

/** The part of a request that every operation needs. */
export type Context = {
  readonly platform: Platform;
  readonly account: Account;
  /** The JSON body, or an empty object. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: URLSearchParams;
  readonly eventFault: EventFault | null;
  /** The time after which a fault changes the outcome to "declined". Null if no fault changes the outcome. */
  readonly declinesAfterMs: number | null;
  /** Runs a function after the response has been sent, or before it if a fault requires that. */
  readonly defer: (deferred: Deferred) => void;
};

/** A response of an operation. A body of null is an empty response. */
export type Reply = { readonly status: number; readonly body: object | string | null };
