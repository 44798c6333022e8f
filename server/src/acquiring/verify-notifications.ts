import {
  deduplicationKeyOf,
  isAuthentic,
  type NotificationItem,
  readHmacKey,
  readItems,
  toStoredItem,
} from "./adyen/webhooks.ts";
import { hmacKeysOf, type OpenConnection } from "./connections/connection-directory.ts";

/** The verified notifications of a request, or the reason why the request is rejected. */
export type VerifiedNotifications =
  | {
      readonly kind: "verified";
      readonly notifications: readonly VerifiedNotification[];
      /** True if the connection's current secrets signed all of them. */
      readonly isCurrent: boolean;
    }
  | { readonly kind: "malformed" }
  | { readonly kind: "forged" };

export type VerifiedNotification = {
  /** Identifies the event. Repeated deliveries of the same event have the same key. */
  readonly deduplicationKey: string;
  readonly eventCode: string;
  /** The notification in the form in which it is stored, without card numbers. */
  readonly item: NotificationItem;
};

/** Verifies the signatures of all notifications in the body of a request to the connection. */
export function verifyNotifications(
  open: OpenConnection,
  body: string,
  now: Date,
): VerifiedNotifications {
  const items = readItems(body);
  if (items === null) return { kind: "malformed" };
  const { current, previous } = hmacKeysOf(open, now);
  const keys = {
    current: readHmacKey(current.reveal()) as Uint8Array,
    previous: previous && readHmacKey(previous.reveal()),
  };
  if (!items.every((item) => isAuthentic(item, keys))) return { kind: "forged" };
  const notifications = items.map((item) => ({
    deduplicationKey: deduplicationKeyOf(item),
    eventCode: item.eventCode,
    item: toStoredItem(item),
  }));
  const isCurrent =
    keys.previous === null ||
    items.every((item) => isAuthentic(item, { current: keys.current, previous: null }));
  return { kind: "verified", notifications, isCurrent };
}
