import { roleNames } from "@florin/contract/roles.ts";
import { readCustomer } from "../../cards/customers/customer.sql.ts";
import type { Scope } from "../../core/scope.ts";
import { readEmailsOf } from "../../identity/accounts/member.sql.ts";
import type { Sql } from "../../platform/database/sql.ts";
import type { SucceededCharge } from "../charges/charge.ts";
import { readSession } from "../sessions/checkout-session.sql.ts";
import type { ReceiptPayment } from "./receipt-email.ts";

/**
 * The recipients of receipts in test mode. If a mail server is set, only the team gets them, because anyone can create
 * an account and make a test payment with another person's address. Without a mail server, emails only appear in the
 * demo's inbox.
 */
export type TestRecipients = "anyone" | "team";

/** Returns the payment with the stored data of its customer. */
export async function readReceiptPayment(
  read: Sql,
  charge: SucceededCharge,
): Promise<ReceiptPayment> {
  const { scope, checkoutSessionId, customerId } = charge;
  const session = checkoutSessionId && (await readSession(read, scope, checkoutSessionId));
  const customer = customerId && (await readCustomer(read, scope, customerId));
  return { charge, session, customer };
}

/** Returns whether the address may get receipts of the account and mode. */
export async function mayReceive(
  read: Sql,
  { account, livemode }: Scope,
  testRecipients: TestRecipients,
  address: string,
): Promise<boolean> {
  if (livemode || testRecipients === "anyone") return true;
  const team = await readEmailsOf(read, account, roleNames, null);
  return team.some((email) => email.toLowerCase() === address.toLowerCase());
}
