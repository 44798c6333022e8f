import { notFound } from "./api-error.ts";
import type { Payment } from "./records.ts";
import type { Context } from "./request-context.ts";

/** Returns the payment with this ID, or the payment of the session with this ID (`GET /payments/{id}`). */
export function findPayment({ platform, account }: Context, id: string): Payment {
  const payment = id.startsWith("sid_")
    ? [...platform.payments.values()].find(({ redirect }) => redirect?.session === id)
    : platform.payments.get(id);
  if (!payment || payment.account !== account.id) throw notFound();
  return payment;
}
