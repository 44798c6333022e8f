/** Faults of the connection. They apply to one request. */
export const connectionFaults = [
  "cut_before_response",
  "cut_in_body",
  "slow",
  "html_502",
  "too_many_requests",
  "conflict",
  "api_error",
  /** Cuts the connection, and executes the request after the next request for the payment. */
  "arrives_late",
] as const;

/** Faults of the events that a request causes. */
export const eventFaults = [
  "duplicate_event",
  "early_event",
  "lost_event",
  "forged_event",
] as const;

/** Failures of a refund after it has succeeded. */
export const lateFaults = ["late_refund_failure"] as const;

export type ConnectionFault = (typeof connectionFaults)[number];
export type EventFault = (typeof eventFaults)[number];
export type Fault = ConnectionFault | EventFault | (typeof lateFaults)[number];

export const endpoints = [
  "create",
  "confirm",
  "retrieve",
  "search",
  "capture",
  "cancel",
  "refunds",
  "list_refunds",
  "disputes",
  "close_dispute",
  "files",
  "balance_transactions",
  "account",
  "payouts",
] as const;
export type Endpoint = (typeof endpoints)[number];

export type PendingFault = {
  readonly id: string;
  readonly endpoint: Endpoint;
  /** The account whose requests the fault applies to. Null for the requests of every account. */
  readonly account: string | null;
  readonly fault: Fault;
  /** The additional delay of the response, or the time from the success of a refund to its failure. */
  readonly delayMs: number;
  /** If false, `cut_before_response` and `html_502` apply before the request is executed. */
  readonly processed: boolean;
};
