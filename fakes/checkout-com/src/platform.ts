import { randomBytes, randomInt } from "node:crypto";
import type { Clock } from "@florin/shared-fake/clock.ts";
import { type EventFault, EventOutbox } from "@florin/shared-fake/event-outbox.ts";
import { takeFault } from "@florin/shared-fake/injected-faults.ts";
import { RequestLog } from "@florin/shared-fake/request-log.ts";
import { WalletTokens } from "@florin/shared-fake/wallet-tokens.ts";
import { type EventLinks, eventBody } from "./events.ts";
import type { Endpoint, Fault, PendingFault } from "./faults.ts";
import type {
  Account,
  Action,
  Channel,
  Dispute,
  File,
  IssuerResponse,
  Movement,
  Payment,
  Payout,
  Report,
  StoredEvent,
  Token,
} from "./records.ts";

/** The response to a request with a `Cko-Idempotency-Key`. */
export type StoredResponse = {
  readonly status: number;
  readonly body: string;
  readonly storedAt: number;
};

export type ReceivedRequest = {
  readonly at: number;
  readonly endpoint: Endpoint;
  readonly account: string;
  readonly channel: string | null;
  readonly reference: string | null;
  readonly idempotencyKey: string | null;
};

/** A request that the fault `arrives_late` delays, as a function that executes it. */
export type LateRequest = {
  readonly channel: string | null;
  readonly execute: () => Promise<unknown>;
};

/** The alphabet of base32 in lower case, which Checkout.com's identifiers use. */
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** All records of the fake, its clock and its faults. */
export class Platform {
  readonly clock: Clock;
  /** The delay before each response. */
  readonly responseDelayMs: number;
  /** The time between the response to a capture, void or refund request and its execution. */
  readonly processingMs: number;
  /** The salt that makes the fingerprints of cards irreversible, and different in each process. */
  readonly fingerprintSalt = randomBytes(16).toString("hex");
  /** The base URL of the links in responses and events. */
  baseUrl = "";
  readonly accounts = new Map<string, Account>();
  readonly channels = new Map<string, Channel>();
  readonly payments = new Map<string, Payment>();
  readonly actions = new Map<string, Action>();
  readonly disputes = new Map<string, Dispute>();
  readonly tokens = new Map<string, Token>();
  readonly walletTokens = new WalletTokens();
  readonly files = new Map<string, File>();
  readonly movements = new Map<string, Movement>();
  readonly payouts = new Map<string, Payout>();
  readonly reports = new Map<string, Report>();
  readonly outbox = new EventOutbox<StoredEvent>();
  readonly faults = new Map<string, PendingFault>();
  /** The response of the issuer to the next payment of a channel. The key is the channel ID. */
  readonly nextResponses = new Map<string, IssuerResponse>();
  readonly responses = new Map<string, StoredResponse>();
  readonly requests = new RequestLog<ReceivedRequest>();
  /** The channel of the last payment request with each reference, whether or not the request was executed. */
  readonly channelsByReference = new Map<string, string>();
  readonly late: LateRequest[] = [];
  readonly #paymentsByReference = new Map<string, string[]>();
  readonly #actionsByPayment = new Map<string, string[]>();
  /** Sends the events of a change that was not made by a request. Set before the first request. */
  dispatchCaused: () => void = () => {};

  constructor(clock: Clock, responseDelayMs: number, processingMs: number) {
    this.clock = clock;
    this.responseDelayMs = responseDelayMs;
    this.processingMs = processingMs;
  }

  /** Returns an identifier such as `pay_mbabizu24mvu3mela5njyhpit4`. */
  newId(prefix: string, length = 26): string {
    const letters = Array.from(randomBytes(length), (byte) => alphabet[byte % 32]);
    return `${prefix}_${letters.join("")}`;
  }

  newDigits(length: number): string {
    return Array.from({ length }, () => randomInt(10)).join("");
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

  payment(id: string): Payment {
    const payment = this.payments.get(id);
    if (!payment) throw new Error(`The payment ${id} does not exist.`);
    return payment;
  }

  /** Stores a new payment so that it is found by its reference. */
  addPayment(payment: Payment): Payment {
    const { id, account, reference } = payment;
    if (reference !== null) append(this.#paymentsByReference, `${account} ${reference}`, id);
    return this.put(this.payments, payment);
  }

  /** Returns the payments with a reference, with the newest first. */
  paymentsWith(account: string, reference: string): readonly Payment[] {
    const ids = this.#paymentsByReference.get(`${account} ${reference}`) ?? [];
    return ids.map((id) => this.payment(id)).reverse();
  }

  addAction(action: Action): Action {
    append(this.#actionsByPayment, action.payment, action.id);
    return this.put(this.actions, action);
  }

  /** Returns the actions of a payment, with the oldest first. */
  actionsOf(payment: string): readonly Action[] {
    const ids = this.#actionsByPayment.get(payment) ?? [];
    return ids.map((id) => this.actions.get(id) as Action);
  }

  /** Records an event with the data in its current state. */
  emit(
    source: { readonly account: string; readonly channel: string | null; readonly subject: string },
    type: string,
    data: object,
    links: EventLinks = {},
    fault: EventFault | null = null,
  ): void {
    const id = this.newId("evt");
    const createdAt = this.clock.nowMs();
    const body = eventBody({ id, type, createdAt, data, links }, source.subject, this.baseUrl);
    this.outbox.record({ ...source, id, type, body, createdAt, fault });
  }

  /** Returns the first fault of the endpoint with one of the kinds, and counts it as used once. */
  takeFault<Kind extends Fault>(
    endpoint: Endpoint,
    kinds: readonly Kind[],
    channel: string | null,
  ): (PendingFault & { readonly fault: Kind }) | null {
    return takeFault(this.faults, endpoint, kinds, channel);
  }
}

function append(index: Map<string, string[]>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids) ids.push(id);
  else index.set(key, [id]);
}
