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
  /** The notification in the connector's format, as it is stored, without card numbers. */
  readonly item: object;
};
