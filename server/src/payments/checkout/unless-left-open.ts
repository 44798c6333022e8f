import { ApiError } from "../../core/api-error.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { readSession } from "../sessions/checkout-session.sql.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";

/**
 * Returns the prepared confirmation, or null if it was rejected and the session is no longer open. Another confirmation
 * can pay and save the card after this one read the session. The card is then rejected as a saved card, but the customer
 * must see the outcome of the session.
 */
export async function unlessLeftOpen<T>(
  read: Sql,
  { scope, id }: Pick<CheckoutSession, "scope" | "id">,
  prepared: Promise<T | null>,
): Promise<T | null> {
  try {
    return await prepared;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const session = await readSession(read, scope, id);
    if (session === null || session.status === "open") throw error;
    return null;
  }
}
