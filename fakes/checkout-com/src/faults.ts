import { type EventFault, eventFaults } from "@florin/shared-fake/event-outbox.ts";
import {
  connectionFaults as commonFaults,
  type FaultKinds,
  type InjectedFault,
} from "@florin/shared-fake/injected-faults.ts";

export const connectionFaults = [
  ...commonFaults,
  "conflict",
  /** Cuts the connection, and executes the request after the next inquiry about a payment of the channel. */
  "arrives_late",
] as const;

/**
 * Changes of the outcome. A payment first returns "Pending", and is declined later. A capture, void or refund is
 * accepted and then declined.
 */
export const outcomeFaults = ["declined_later"] as const;

export type ConnectionFault = (typeof connectionFaults)[number];
export type Fault = ConnectionFault | EventFault | (typeof outcomeFaults)[number];

/** The names of the endpoints in faults and in the list of requests. */
export const endpoints = [
  /** `POST /payments` */
  "payments",
  /** `POST /tokens` */
  "tokens",
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

export type PendingFault = InjectedFault<Endpoint, Fault>;

export const faultKinds: FaultKinds<Endpoint, Fault> = {
  endpoints,
  faults: [...connectionFaults, ...eventFaults, ...outcomeFaults],
  delayed: ["slow"],
  scopeField: "channel",
};
