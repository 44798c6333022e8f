import {
  type CreateCheckoutSession,
  expiresInBounds,
  type LineItem,
  maxSessionAttempts,
} from "@florin/contract/checkout-session.ts";
import { ApiError } from "../../core/api-error.ts";
import { type CustomerId, newId } from "../../core/ids.ts";
import { type Money, priceOf } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";

/** Returns the session to insert. Throws for an invalid request. */
export function startSession(
  scope: Scope,
  body: CreateCheckoutSession,
  customerId: CustomerId | null,
  now: Date,
): CheckoutSession {
  const isSetup = body.mode === "setup";
  const expiresInSeconds = body.expires_in ?? expiresInBounds.default;
  return {
    id: newId("cs", now),
    scope,
    version: 1,
    status: "open",
    mode: body.mode ?? "payment",
    paymentStatus: "unpaid",
    price: isSetup ? noPriceOf(body) : totalOf(body),
    captureMethod: body.capture_method ?? "automatic",
    customerId,
    clientReferenceId: body.client_reference_id ?? null,
    details: {
      customer_email: body.customer_email ?? null,
      description: body.description ?? null,
      line_items: body.line_items ?? null,
      billing_details: body.billing_details ?? null,
      shipping_details: body.shipping_details ?? null,
      success_url: body.success_url ?? null,
      cancel_url: body.cancel_url ?? null,
      return_url: body.return_url ?? null,
      allowed_origins: body.allowed_origins ?? [],
      save_payment_method: isSetup || (body.save_payment_method ?? false),
      three_d_secure: body.three_d_secure ?? "automatic",
      locale: body.locale ?? null,
    },
    metadata: body.metadata ?? {},
    expiresAt: new Date(now.getTime() + expiresInSeconds * 1000),
    maxAttempts: body.max_attempts ?? maxSessionAttempts,
    attempts: 0,
    cardCount: 0,
    chargeId: null,
    verificationId: null,
    paymentMethodId: null,
    lastPaymentError: null,
  };
}

/**
 * Returns the amount zero in the currency of a session of mode `setup`. Throws if the request contains a parameter that
 * this mode does not allow.
 */
export function noPriceOf(body: CreateCheckoutSession): Money {
  const notAllowed = ["amount", "line_items", "capture_method"] as const;
  const param = notAllowed.find((name) => body[name] !== undefined);
  if (param) {
    throw new ApiError(
      "parameter_invalid",
      `\`${param}\` is not allowed in mode \`setup\`, because nothing is charged. Leave \`${param}\` out.`,
      { param },
    );
  }
  if (body.save_payment_method === false) {
    throw new ApiError(
      "parameter_invalid",
      "`save_payment_method` must not be false in mode `setup`, because the session only saves a card. Leave `save_payment_method` out.",
      { param: "save_payment_method" },
    );
  }
  return priceOf({ amount: 0, currency: body.currency });
}

/** Returns `amount`, or else the sum of `line_items`. Throws if both are sent and differ. */
export function totalOf({ amount, currency, line_items }: CreateCheckoutSession): Money {
  if (line_items === undefined) {
    if (amount !== undefined) return priceOf({ amount, currency });
    throw new ApiError("parameter_missing", "`amount` is missing. Send `amount` or `line_items`.", {
      param: "amount",
    });
  }
  const sum = sumOf(line_items);
  if (amount !== undefined && amount !== sum) {
    throw new ApiError(
      "parameter_invalid",
      `\`amount\` must equal the sum of \`line_items\`, ${sum}. Got ${amount}. Correct \`amount\`, or leave \`amount\` out.`,
      { param: "line_items" },
    );
  }
  return priceOf({ amount: sum, currency });
}

function sumOf(lines: readonly LineItem[]): number {
  return lines.reduce((sum, { quantity, amount }) => sum + quantity * amount, 0);
}
