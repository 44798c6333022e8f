/** Faults of the connection. They apply to one request. */
export const connectionFaults = [
  "cut_before_response",
  "cut_in_body",
  "slow",
  "html_502",
  "too_many_requests",
  "conflict",
  /** Cuts the connection, and executes the request after the next inquiry about a payment of the channel. */
  "arrives_late",
] as const;

/** Faults of the events that a request causes. */
export const eventFaults = [
  "duplicate_event",
  "early_event",
  "lost_event",
  "forged_event",
] as const;

/**
 * Changes of the outcome. A payment first returns "Pending", and is declined later. A capture, void or refund is
 * accepted and then declined.
 */
export const outcomeFaults = ["declined_later"] as const;

export type ConnectionFault = (typeof connectionFaults)[number];
export type EventFault = (typeof eventFaults)[number];
export type Fault = ConnectionFault | EventFault | (typeof outcomeFaults)[number];

/** The names of the endpoints in faults and in the list of requests. */
export const endpoints = [
  /** `POST /payments` */
  "payments",
  /** `GET /payments/{id}` */
  "retrieve",
  /** `GET /payments?reference=` */
  "list",
  /** `GET /payments/{id}/actions` */
  "actions",
  "captures",
  "voids",
  "refunds",
  "reversals",
  /** `GET /disputes` and `GET /disputes/{id}` */
  "disputes",
  /** `GET` and `PUT /disputes/{id}/evidence` */
  "evidence",
  /** `POST /disputes/{id}/evidence` */
  "submit_evidence",
  "accept_dispute",
  "files",
  /** `GET /reports`, `GET /reports/{id}` and `GET /reports/{id}/files/{file}` */
  "reports",
] as const;
export type Endpoint = (typeof endpoints)[number];

export type PendingFault = {
  readonly id: string;
  readonly endpoint: Endpoint;
  /** The processing channel whose requests the fault applies to. Null for the requests of every channel. */
  readonly channel: string | null;
  readonly fault: Fault;
  /** The additional delay of the response, or the time until `declined_later` declines. */
  readonly delayMs: number;
  /** If false, `cut_before_response` and `html_502` apply before the request is executed. */
  readonly processed: boolean;
};
