import type { Dispute } from "./dispute.ts";
import type { PendingFault } from "./faults.ts";
import type { Journal, JournalLine } from "./journal.ts";
import { Ledger, type Transfer } from "./ledger.ts";
import type { MerchantAccount } from "./merchant-account.ts";
import type { Modification } from "./modification.ts";
import type { Notification } from "./notification.ts";
import type { Payment } from "./payment.ts";
import type { SettlementBatch } from "./settlement-batch.ts";

/** The response to a request with an `Idempotency-Key`. */
export type StoredResponse = {
  /** A hash of the request. The request itself contains card data and is not stored. */
  readonly digest: string;
  readonly status: number;
  readonly body: string;
  readonly storedAt: number;
};

/** The record type of each table. The key of a record is its identifier. */
export type Tables = {
  readonly accounts: MerchantAccount;
  readonly payments: Payment;
  readonly modifications: Modification;
  readonly notifications: Notification;
  readonly disputes: Dispute;
  readonly batches: SettlementBatch;
  readonly faults: PendingFault;
  readonly responses: StoredResponse;
  readonly settings: { readonly clockOffsetMs: number };
};

export type TableName = keyof Tables;

/**
 * All records of the fake. The records of one transaction are appended to the journal as one line, so that a restart
 * restores either all of them or none.
 */
export class State {
  readonly accounts = new Map<string, MerchantAccount>();
  readonly payments = new Map<string, Payment>();
  readonly modifications = new Map<string, Modification>();
  readonly notifications = new Map<string, Notification>();
  readonly disputes = new Map<string, Dispute>();
  readonly batches = new Map<string, SettlementBatch>();
  readonly faults = new Map<string, PendingFault>();
  readonly responses = new Map<string, StoredResponse>();
  readonly settings = new Map<string, Tables["settings"]>();
  readonly ledger = new Ledger();
  /** The `pspReference` of the newest payment for each merchant account and reference. */
  readonly #byReference = new Map<string, string>();
  readonly #journal: Journal | null;
  #uncommitted: JournalLine = [];

  constructor(journal: Journal | null) {
    this.#journal = journal;
    for (const line of journal?.readLines() ?? []) {
      for (const entry of line) this.#apply(entry[0], entry[1], entry[2]);
    }
  }

  put<Name extends TableName>(table: Name, id: string, record: Tables[Name]): void {
    this.#apply(table, id, record);
    if (this.#journal) this.#uncommitted.push([table, id, record]);
  }

  remove(table: TableName, id: string): void {
    this[table].delete(id);
    if (this.#journal) this.#uncommitted.push([table, id, null]);
  }

  appendTransfer(transfer: Transfer): void {
    this.ledger.append(transfer);
    if (this.#journal) this.#uncommitted.push(["ledger", "", transfer]);
  }

  /** Appends the changes since the last commit to the journal. */
  commit(): void {
    if (!this.#journal || this.#uncommitted.length === 0) return;
    this.#journal.append(this.#uncommitted);
    this.#uncommitted = [];
  }

  paymentByReference(merchantAccount: string, reference: string): Payment | null {
    const pspReference = this.#byReference.get(`${merchantAccount} ${reference}`);
    return (pspReference && this.payments.get(pspReference)) || null;
  }

  close(): void {
    this.#journal?.close();
  }

  #apply(table: string, id: string, record: unknown): void {
    if (table === "ledger") {
      this.ledger.append(record as Transfer);
      return;
    }
    const records = this[table as TableName] as Map<string, unknown>;
    if (record === null) records.delete(id);
    else records.set(id, record);
    if (table === "payments") {
      const { merchantAccount, reference } = record as Payment;
      this.#byReference.set(`${merchantAccount} ${reference}`, id);
    }
  }
}
