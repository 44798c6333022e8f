import { hmacKeysOf, type OpenConnection } from "../connections/connection-directory.ts";
import type { VerifiedNotifications } from "../verified-notification.ts";
import {
  deduplicationKeyOf,
  isAuthentic,
  readHmacKey,
  readItems,
  toStoredItem,
} from "./webhooks.ts";

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
