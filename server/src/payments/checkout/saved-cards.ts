import type { SavedCard } from "@florin/contract/frame.ts";
import { maxSavedCards } from "@florin/contract/payment-method.ts";
import { listPaymentMethods } from "../../cards/payment-methods/payment-method.sql.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { pageOf } from "../../platform/http/list.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";

/** Returns the customer's saved cards that can pay: none expired, and each card number once. */
export async function savedCards(
  read: Sql,
  { owner, customerId, status }: CheckoutSession,
  now: Date,
): Promise<SavedCard[]> {
  if (!customerId || status === "complete") return [];
  const page = pageOf({ limit: maxSavedCards }, "pm");
  const methods = await listPaymentMethods(read, owner, customerId, page);
  const numbers = new Set<string>();
  return methods.flatMap(({ id, card }) => {
    const { brand, last4, exp_month, exp_year, fingerprint } = card;
    const expired = Date.UTC(exp_year, exp_month) <= now.getTime();
    if (expired || numbers.has(fingerprint)) return [];
    numbers.add(fingerprint);
    return [{ payment_method_id: id, brand, last4, exp_month, exp_year }];
  });
}
