import { slowed } from "../slowness.ts";
import type { Fault } from "./faults.ts";

/** A fault of a fake that implements a fault of the conformance cases. */
export type InjectedFault = {
  readonly fault: string;
  readonly processed?: false;
  readonly delayMs?: number;
};

/**
 * The time by which a fake delays a response, including one that is then lost. In cases with a restart, the service is
 * killed during the delay.
 */
export const responseDelayMs = 300;

/** The faults of the connection. The fakes of all live acquirers have them under the same names. */
export const connectionFaults = {
  none: [],
  "response cut": [{ fault: "cut_before_response", delayMs: responseDelayMs }],
  "response cut in its body": [{ fault: "cut_in_body", delayMs: responseDelayMs }],
  "request lost": [{ fault: "cut_before_response", processed: false, delayMs: responseDelayMs }],
  "502 after the execution": [{ fault: "html_502", delayMs: responseDelayMs }],
  "502 without execution": [{ fault: "html_502", processed: false, delayMs: responseDelayMs }],
  "slow response": [{ fault: "slow", delayMs: responseDelayMs }],
  "response after the timeout": [{ fault: "slow", delayMs: slowed(3_000) }],
  "429": [{ fault: "too_many_requests", delayMs: responseDelayMs }],
} as const satisfies Partial<Record<Fault, readonly InjectedFault[]>>;
