import { eventObject } from "../../core/event-object.ts";
import { idFromUuid } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";

/** A stored response and its charge. */
export type StoredResponseRow = {
  readonly key: string;
  readonly status_code: number;
  /** The response. Null if the response is the object of the event in `event_body`. */
  readonly response: string | null;
  readonly event_body: string | null;
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  /** True if the capture of the charge failed after it had succeeded. */
  readonly capture_failed: boolean;
};

type MerchantInformation = {
  id?: unknown;
  status?: unknown;
  amount?: unknown;
  currency?: unknown;
  error?: { charge?: unknown };
};

/**
 * Returns the end of a sentence that states how the response contradicts its charge, such as `describes another object
 * than ch_…`. Returns null if they agree.
 */
export function contradiction(row: StoredResponseRow): string | null {
  const id = idFromUuid("ch", row.id);
  const received = parsed(row.response ?? (row.event_body && eventObject(row.event_body)));
  if (received === null) return `of ${id} is not valid JSON`;
  if (row.status_code === 402) {
    if (received.error?.charge !== id) return `is a decline that does not name ${id}`;
    return row.status === "failed" ? null : `is a decline, but ${id} is ${row.status}`;
  }
  if (received.id !== id) return `describes another object than ${id}`;
  if (received.amount !== row.amount || received.currency !== row.currency) {
    const stored =
      typeof received.amount === "number" && typeof received.currency === "string"
        ? moneyText(received.amount, received.currency)
        : "no valid amount";
    return `has ${stored}, but ${id} has ${moneyText(row.amount, row.currency)}`;
  }
  return mayHaveBecome(received.status, row.capture_failed ? "succeeded" : row.status)
    ? null
    : `has status ${received.status}, but ${id} is ${row.status}`;
}

/**
 * Returns whether a charge may have `status` after a client received the status `received`. A final status must
 * be unchanged. For a charge whose capture failed later, the caller passes `succeeded`. An authorized charge can be
 * captured or canceled. Any status may follow `processing` and `requires_action`. A received `failed` is always wrong,
 * because a failed charge is returned as a decline.
 */
function mayHaveBecome(received: unknown, status: string): boolean {
  if (received === "processing" || received === "requires_action") return true;
  if (received === "authorized" && (status === "succeeded" || status === "canceled")) return true;
  return received === status && received !== "failed";
}

function parsed(response: string | null): MerchantInformation | null {
  if (response === null) return null;
  try {
    return JSON.parse(response) as MerchantInformation;
  } catch {
    return null;
  }
}
