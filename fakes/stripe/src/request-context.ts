import type { EventFault } from "@florin/shared-fake/event-outbox.ts";
import type { Params } from "./form.ts";
import type { Platform } from "./platform.ts";
import type { Account } from "./records.ts";

/** The part of a request that every operation needs. */
export type Context = {
  readonly platform: Platform;
  readonly account: Account;
  readonly params: Params;
  readonly eventFault: EventFault | null;
};
