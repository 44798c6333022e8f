import type { Money } from "../core/money.ts";
import type { LiveEvent, LiveNotification } from "./live-notification.ts";
import { parseReference } from "./request-fields.ts";
import type { StoredItem } from "./verified-notification.ts";

/**
 * A stored event that describes the state of one object, such as a payment or a dispute. Stripe and Checkout.com send
 * such events.
 */
export type EventItem = StoredItem & {
  readonly eventId: string;
  readonly eventCode: string;
  readonly live: boolean;
  /** The acquirer's ID of the object that the event is about. */
  readonly objectId: string;
  /** The amount and the currency in the acquirer's representation. */
  readonly amount: number | null;
  readonly currency: string | null;
};

/** The acquirer's representation of an amount. */
type EventAmount = { readonly amount: number; readonly currency: string };

/**
 * Converts the event's amount to Florin's representation. Returns null if the event has no amount, or if Florin cannot
 * represent it.
 */
export function priceOfEvent(
  { amount, currency }: EventItem,
  fromAmount: (amount: EventAmount) => Money | null,
): Money | null {
  return amount === null || currency === null ? null : fromAmount({ amount, currency });
}

/** Returns the typed notification of a stored event. */
export function notificationOfEvent(
  item: EventItem,
  price: Money | null,
  event: LiveEvent,
): LiveNotification {
  const reference = item.merchantReference;
  return {
    eventCode: item.eventCode,
    live: item.live,
    merchantAccount: item.merchantAccount,
    reference: parseReference(reference),
    acquirerReference: item.objectId,
    paymentReference: item.originalReference,
    price,
    createdAt: item.createdAt === null ? null : new Date(item.createdAt),
    event,
  };
}
