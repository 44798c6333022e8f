import { type EventFault, eventFaults } from "@florin/shared-fake/event-outbox.ts";
import {
  connectionFaults as commonFaults,
  type FaultKinds,
  type InjectedFault,
} from "@florin/shared-fake/injected-faults.ts";

export const connectionFaults = [
  ...commonFaults,
  "conflict",
  "api_error",
  /** Cuts the connection, and executes the request after the account's next request to retrieve a payment. */
  "arrives_late",
] as const;

/** Failures of a refund after it has succeeded. */
export const lateFaults = ["late_refund_failure"] as const;

export type ConnectionFault = (typeof connectionFaults)[number];
export type Fault = ConnectionFault | EventFault | (typeof lateFaults)[number];

export const endpoints = [
  "create",
  "confirm",
  "tokens",
  "retrieve",
  "search",
  "capture",
  "cancel",
  "setup",
  "retrieve_setup",
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

export type PendingFault = InjectedFault<Endpoint, Fault>;

export const faultKinds: FaultKinds<Endpoint, Fault> = {
  endpoints,
  faults: [...connectionFaults, ...eventFaults, ...lateFaults],
  delayed: ["slow"],
  scopeField: "account",
};
