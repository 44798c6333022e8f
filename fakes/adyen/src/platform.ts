import assert from "node:assert/strict";
import type { Clock } from "@florin/shared-fake/clock.ts";
import { type FaultStore, takeFault } from "@florin/shared-fake/injected-faults.ts";
import { RequestLog } from "@florin/shared-fake/request-log.ts";
import { WalletTokens } from "@florin/shared-fake/wallet-tokens.ts";
import type { Endpoint, Fault, PendingFault } from "./faults.ts";
import type { LedgerAccount, MovementKind } from "./ledger.ts";
import type { MerchantAccount } from "./merchant-account.ts";
import type { Modification } from "./modification.ts";
import type { AccountUpdate, Payment } from "./payment.ts";
import type { State } from "./state.ts";

export type FakeSettings = {
  /** The time before each response. */
  readonly responseDelayMs: number;
  /** The time between the response to a modification and its execution. */
  readonly processingMs: number;
  /** The base URL of the authentication page in responses. */
  readonly checkoutShopperUrl: string;
  /** The base URL of reports in notifications. */
  readonly customerAreaUrl: string;
};

/** A request to the API. Repeated and rejected requests are recorded too. */
export type ReceivedRequest = {
  readonly at: number;
  readonly endpoint: Endpoint;
  readonly merchantAccount: string | null;
  readonly reference: string | null;
  readonly idempotencyKey: string | null;
};

/** The state, the clock and the settings that every endpoint uses. */
export class Platform {
  readonly state: State;
  readonly clock: Clock;
  readonly settings: FakeSettings;
  /** Sends notifications. Set before the first request. */
  dispatch: (notifications: readonly string[]) => void = () => {};
  readonly requests = new RequestLog<ReceivedRequest>();
  /** The wallet tokens. They are lost when the fake restarts. */
  readonly walletTokens = new WalletTokens();
  readonly #faults: FaultStore<PendingFault>;
  readonly #accountUpdates = new Map<string, AccountUpdate>();
  #number: number;

  constructor(state: State, clock: Clock, settings: FakeSettings) {
    this.state = state;
    this.clock = clock;
    this.settings = settings;
    this.#faults = {
      values: () => state.faults.values(),
      set: (id, fault) => state.put("faults", id, fault),
      delete: (id) => state.remove("faults", id),
    };
    this.#number = Math.max(0, ...[...state.notifications.keys()].map(numberOf));
  }

  account(merchantAccount: string): MerchantAccount {
    const account = this.state.accounts.get(merchantAccount);
    assert.ok(account, `The merchant account ${merchantAccount} does not exist.`);
    return account;
  }

  /** Sets the card data that the Real Time Account Updater finds for the next payment of a merchant account. */
  setAccountUpdate(merchantAccount: string, update: AccountUpdate): void {
    this.#accountUpdates.set(merchantAccount, update);
  }

  takeAccountUpdate(merchantAccount: string): AccountUpdate | null {
    const update = this.#accountUpdates.get(merchantAccount) ?? null;
    this.#accountUpdates.delete(merchantAccount);
    return update;
  }

  /** Returns an ascending number for identifiers of the fake's control API. */
  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  /**
   * Returns the first pending fault of the endpoint that has one of the given kinds, and counts it as used.
   * `merchantAccount` is the account in the request, or null if the request contains none.
   */
  takeFault<Kind extends Fault>(
    endpoint: Endpoint,
    kinds: readonly Kind[],
    merchantAccount: string | null,
  ): (PendingFault & { readonly fault: Kind }) | null {
    return takeFault(this.#faults, endpoint, kinds, merchantAccount);
  }

  /** Moves an amount between accounts of the ledger. Zero moves nothing. */
  move(
    payment: Pick<Payment, "merchantAccount" | "amount" | "pspReference">,
    movement: {
      readonly kind: MovementKind;
      readonly debit: LedgerAccount;
      readonly credit: LedgerAccount;
      readonly value: number;
      readonly modification: Pick<Modification, "pspReference"> | null;
    },
  ): void {
    if (movement.value === 0) return;
    this.state.appendTransfer({
      at: this.clock.nowMs(),
      kind: movement.kind,
      merchantAccount: payment.merchantAccount,
      currency: payment.amount.currency,
      debit: movement.debit,
      credit: movement.credit,
      value: movement.value,
      payment: payment.pspReference,
      modification: movement.modification?.pspReference ?? null,
    });
  }
}

function numberOf(id: string): number {
  return Number(id.slice(id.indexOf("_") + 1));
}
