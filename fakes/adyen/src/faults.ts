/** Faults of the connection. They apply to one request. */
export const connectionFaults = [
  "cut_before_response",
  "cut_in_body",
  "slow",
  "html_502",
  "too_many_requests",
  "transient_error",
] as const;

/** Faults of the notifications that a request causes. */
export const notificationFaults = [
  "duplicate_notification",
  "early_notification",
  "lost_notification",
  "forged_notification",
] as const;

/** Failures after a successful notification. */
export const lateFaults = ["late_capture_failure", "late_refund_failure"] as const;

export type ConnectionFault = (typeof connectionFaults)[number];
export type NotificationFault = (typeof notificationFaults)[number];
export type LateFault = (typeof lateFaults)[number];
export type Fault = ConnectionFault | NotificationFault | LateFault;

export const endpoints = [
  "payments",
  "payment_methods",
  "details",
  "captures",
  "cancels",
  "refunds",
  "reversals",
  "technical_cancels",
  "disputes",
  "defend_dispute",
  "accept_dispute",
  "reports",
] as const;

export type Endpoint = (typeof endpoints)[number];

export type PendingFault = {
  readonly id: string;
  readonly endpoint: Endpoint;
  /** The merchant account whose requests the fault applies to. Null for the requests of every account. */
  readonly merchantAccount: string | null;
  readonly fault: Fault;
  /** The number of requests that the fault still applies to. */
  readonly times: number;
  /** The additional delay of the response, or the time from the success of a modification to its late failure. */
  readonly delayMs: number;
  /** False lets `cut_before_response` and `html_502` apply before the request is processed. */
  readonly processed: boolean;
};

export function isOneOf<Value extends string>(
  values: readonly Value[],
  value: unknown,
): value is Value {
  return (values as readonly unknown[]).includes(value);
}
