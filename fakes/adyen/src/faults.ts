import {
  connectionFaults as commonFaults,
  type FaultKinds,
  type InjectedFault,
} from "@florin/shared-fake/injected-faults.ts";

export const connectionFaults = [...commonFaults, "transient_error"] as const;

/** Faults of the notifications that a request causes. */
export const notificationFaults = [
  "duplicate_notification",
  "early_notification",
  "lost_notification",
  "forged_notification",
] as const;

/** Failures of a capture or refund after a notification has reported its success. */
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

export type PendingFault = InjectedFault<Endpoint, Fault>;

export const faultKinds: FaultKinds<Endpoint, Fault> = {
  endpoints,
  faults: [...connectionFaults, ...notificationFaults, ...lateFaults],
  delayed: ["slow", ...lateFaults],
  scopeField: "merchantAccount",
};
