import { randomBytes } from "node:crypto";
import type { Clock } from "@florin/shared-fake/clock.ts";
import { type EventFault, EventOutbox } from "@florin/shared-fake/event-outbox.ts";
import { takeFault } from "@florin/shared-fake/injected-faults.ts";
import { RequestLog } from "@florin/shared-fake/request-log.ts";
import type { Endpoint, Fault, PendingFault } from "./faults.ts";
import type {
  Account,
  BalanceTransaction,
  Charge,
  Dispute,
  File,
  Intent,
  Payout,
  Refund,
  SetupIntent,
  StoredEvent,
  Token,
} from "./records.ts";
import { renderEvent } from "./render.ts";

/** The response to a request with an `Idempotency-Key`. */
export type StoredResponse = {
  /** A hash of the request. The request itself contains card data and is not stored. */
  readonly digest: string;
  readonly status: number;
  readonly body: string;
  readonly storedAt: number;
};

export type ReceivedRequest = {
  readonly at: number;
  readonly endpoint: Endpoint;
  readonly account: string;
  readonly idempotencyKey: string | null;
};

/** All records of the fake, its clock and its faults. */
export class Platform {
  readonly clock: Clock;
  /** The delay before each response. */
  readonly responseDelayMs: number;
  /** The base URL of the fake's pages. */
  baseUrl = "";
  readonly accounts = new Map<string, Account>();
  readonly intents = new Map<string, Intent>();
  readonly setupIntents = new Map<string, SetupIntent>();
  readonly charges = new Map<string, Charge>();
  readonly refunds = new Map<string, Refund>();
  readonly disputes = new Map<string, Dispute>();
  readonly payouts = new Map<string, Payout>();
  readonly files = new Map<string, File>();
  readonly tokens = new Map<string, Token>();
  readonly balanceTransactions = new Map<string, BalanceTransaction>();
  readonly outbox = new EventOutbox<StoredEvent>();
  readonly faults = new Map<string, PendingFault>();
  readonly responses = new Map<string, StoredResponse>();
  readonly requests = new RequestLog<ReceivedRequest>();
  /** The request that the fault `arrives_late` delays, as a function that executes it. The key is the account ID. */
  readonly late = new Map<string, () => Promise<unknown>>();
  /** Sends the events of a change that was not made by a request. Set before the first request. */
  dispatchCaused: () => void = () => {};

  constructor(clock: Clock, responseDelayMs: number) {
    this.clock = clock;
    this.responseDelayMs = responseDelayMs;
  }

  newId(prefix: string): string {
    return `${prefix}_${randomBytes(12).toString("hex")}`;
  }

  /** Returns the time in whole seconds, the unit of every timestamp in Stripe's API. */
  nowSeconds(): number {
    return Math.floor(this.clock.nowMs() / 1000);
  }

  put<Item extends { readonly id: string }>(table: Map<string, Item>, item: Item): Item {
    table.set(item.id, item);
    return item;
  }

  account(id: string): Account {
    const account = this.accounts.get(id);
    if (!account) throw new Error(`The account ${id} does not exist.`);
    return account;
  }

  /** Records an event with the object in its current state. */
  emit(account: string, type: string, object: object, fault: EventFault | null): void {
    const id = this.newId("evt");
    const created = this.nowSeconds();
    const body = renderEvent(this.account(account), { id, type, object, created });
    const createdAt = this.clock.nowMs();
    this.outbox.record({ id, account, type, body, createdAt, fault });
  }

  /** Appends a movement of money to the ledger. */
  move(
    movement: Pick<
      BalanceTransaction,
      "account" | "type" | "reportingCategory" | "amount" | "fee" | "currency" | "source"
    >,
  ): string {
    return this.put(this.balanceTransactions, {
      ...movement,
      id: this.newId("txn"),
      net: movement.amount - movement.fee,
      created: this.nowSeconds(),
      payout: null,
    }).id;
  }

  /** Returns the first fault of the endpoint with one of the kinds, and counts it as used once. */
  takeFault<Kind extends Fault>(
    endpoint: Endpoint,
    kinds: readonly Kind[],
    account: string,
  ): (PendingFault & { readonly fault: Kind }) | null {
    return takeFault(this.faults, endpoint, kinds, account);
  }
}
