/** The response of an endpoint, and the work that follows it. */
export type Reply = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * Completes the request. If it was for a modification, executes the modification. Returns the notifications to send.
   * Called after the response, or before it with the fault `early_notification`.
   */
  readonly complete: () => readonly string[];
  /** The time between the response and `complete`. */
  readonly afterMs: number;
  /** True if the notifications must be delivered before the response. */
  readonly notifiesEarly: boolean;
};
