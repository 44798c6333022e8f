/** The verified notifications of a request, or the reason why the request is rejected. */
export type VerifiedNotifications =
  | {
      readonly kind: "verified";
      readonly notifications: readonly VerifiedNotification[];
      /** True if the connection's current secrets signed all notifications of the request. */
      readonly isCurrent: boolean;
    }
  | { readonly kind: "malformed" }
  | { readonly kind: "forged" };

export type VerifiedNotification = {
  /** Identifies the event. Repeated deliveries of the same event have the same key. */
  readonly deduplicationKey: string;
  readonly eventCode: string;
  /** The notification as it is stored, without card numbers. */
  readonly item: StoredItem;
};

/**
 * A stored notification in its connector's format. Every connector stores these fields under the same names, because
 * the service selects notifications by them.
 */
export type StoredItem = {
  /** The merchant account at the acquirer. */
  readonly merchantAccount: string;
  /** Our reference in the request that caused the event. Empty if the event has none. */
  readonly merchantReference: string;
  /** The acquirer's identifier of the payment. Adyen sets it only for events after the authorization. */
  readonly originalReference: string | null;
  readonly success: boolean;
  /** Null if the acquirer did not state the time. Postgres returns the time as text. */
  readonly createdAt: Date | string | null;
};

/** A request to a connection's notification endpoint. */
export type NotificationRequest = {
  readonly body: string;
  /** The headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};
