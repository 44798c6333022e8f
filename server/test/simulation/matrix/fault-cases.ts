import type { Faults, Message } from "@florin/simulator/faults.ts";
import { slowed } from "../../slowness.ts";

/** The point at which the server is killed during one request to the acquirer. */
export const crashPoints = [
  "none",
  "before the intention is written",
  "written, not sent",
  "sent, no response",
  "response received, not recorded",
  "recorded, reply lost",
] as const;
export type CrashPoint = (typeof crashPoints)[number];

/** The acquirer timeout in these tests, long enough for a busy machine to return a normal response. */
export const responseTimeoutMs = 2_500;

/** The directory server timeout. It is longer, because the directory server calls the issuer over HTTP. */
export const directoryTimeoutMs = 4_000;

/**
 * The delay after which the acquirer executes a request that hangs. During the delay, a killed server restarts and
 * sends its inquiries. Shortly after the delay, all outcomes are known.
 */
export const hangMs = slowed(3_500);

/** The faults that the acquirer, or the connection to it, applies to one message. */
export const behaviors = {
  "responds late": { delayMs: 150 },
  "request lost": { dropBefore: true },
  "response lost": { dropAfter: true },
  "responds twice": { respondTwice: true },
  "responds too late": { delayMs: responseTimeoutMs + 250 },
  garbage: { garbage: true },
  "502 or reset": { reset: true },
  "arrives after not found": { arriveAfterNotFound: true },
  "another amount": { otherAmount: true },
  "pending, then no": { rejectLate: true },
  "another reference": { otherReference: true },
  hangs: { hangMs },
} as const satisfies Record<string, Faults>;
export type Behavior = keyof typeof behaviors;

/** The operations and their messages to the acquirer. An authentication sends no message to the acquirer. */
export const operations = {
  authorize: "authorize",
  capture: "capture",
  void: "void",
  refund: "refund",
  inquiry: "inquire",
  authenticate: null,
} as const satisfies Record<string, Message | null>;
export type Operation = keyof typeof operations;

/**
 * The required final state after the killed server has restarted and every client without a response has repeated its
 * request. The columns are the crash points in this order:
 *
 * none · before the intention · not sent · no response · not recorded · reply lost
 *
 * The fault affects only one message. It does not affect a repeated request that the service processes as a new one.
 */
export const expected: Readonly<Record<Operation, Readonly<Record<Behavior, string>>>> = {
  // `paid`, `declined` by the issuer, or `reversed`. Reversed means that the charge failed after its authorization was
  // reversed.
  authorize: {
    "responds late": "           paid      paid      reversed  paid      paid      paid",
    "request lost": "            reversed  paid      reversed  reversed  reversed  reversed",
    "response lost": "           paid      paid      reversed  paid      paid      paid",
    "responds twice": "          paid      paid      reversed  paid      paid      paid",
    "responds too late": "       paid      paid      reversed  paid      paid      paid",
    garbage: "                   paid      paid      reversed  paid      paid      paid",
    "502 or reset": "            paid      paid      reversed  paid      paid      paid",
    "arrives after not found": " reversed  paid      reversed  reversed  reversed  reversed",
    "another amount": "          declined  paid      reversed  declined  declined  declined",
    "pending, then no": "        declined  paid      reversed  declined  declined  declined",
    "another reference": "       paid      paid      reversed  paid      paid      paid",
    hangs: "                     paid      paid      reversed  reversed  paid      paid",
  },
  // `captured`, or `held`, which means still authorized. A capture that the acquirer does not know is sent again.
  capture: {
    "responds late": "           captured  captured  captured  captured  captured  captured",
    "request lost": "            captured  captured  captured  captured  captured  captured",
    "response lost": "           captured  captured  captured  captured  captured  captured",
    "responds twice": "          captured  captured  captured  captured  captured  captured",
    "responds too late": "       captured  captured  captured  captured  captured  captured",
    garbage: "                   captured  captured  captured  captured  captured  captured",
    "502 or reset": "            captured  captured  captured  captured  captured  captured",
    "arrives after not found": " captured  captured  captured  captured  captured  captured",
    "another amount": "          held      captured  captured  held      held      held",
    "pending, then no": "        held      captured  captured  held      held      held",
    "another reference": "       captured  captured  captured  captured  captured  captured",
    hangs: "                     captured  captured  captured  captured  captured  captured",
  },
  // `released`, or `held`, which means still authorized.
  void: {
    "responds late": "           released  released  released  released  released  released",
    "request lost": "            released  released  released  released  released  released",
    "response lost": "           released  released  released  released  released  released",
    "responds twice": "          released  released  released  released  released  released",
    "responds too late": "       released  released  released  released  released  released",
    garbage: "                   released  released  released  released  released  released",
    "502 or reset": "            released  released  released  released  released  released",
    "arrives after not found": " released  released  released  released  released  released",
    "another amount": "          held      released  released  held      held      held",
    "pending, then no": "        held      released  released  held      held      held",
    "another reference": "       released  released  released  released  released  released",
    hangs: "                     released  released  released  released  released  released",
  },
  // `refunded`, or `failed`, which means that the amount can be refunded again.
  refund: {
    "responds late": "           refunded  refunded  refunded  refunded  refunded  refunded",
    "request lost": "            refunded  refunded  refunded  refunded  refunded  refunded",
    "response lost": "           refunded  refunded  refunded  refunded  refunded  refunded",
    "responds twice": "          refunded  refunded  refunded  refunded  refunded  refunded",
    "responds too late": "       refunded  refunded  refunded  refunded  refunded  refunded",
    garbage: "                   refunded  refunded  refunded  refunded  refunded  refunded",
    "502 or reset": "            refunded  refunded  refunded  refunded  refunded  refunded",
    "arrives after not found": " refunded  refunded  refunded  refunded  refunded  refunded",
    "another amount": "          failed    refunded  refunded  failed    failed    failed",
    "pending, then no": "        failed    refunded  refunded  failed    failed    failed",
    "another reference": "       refunded  refunded  refunded  refunded  refunded  refunded",
    hangs: "                     refunded  refunded  refunded  refunded  refunded  refunded",
  },
  // Status inquiries for an approved charge whose response was lost. If an inquiry finds a partial approval,
  // the service reverses it immediately.
  inquiry: {
    "responds late": "           paid      paid      paid      paid      paid      paid",
    "request lost": "            paid      paid      paid      paid      paid      paid",
    "response lost": "           paid      paid      paid      paid      paid      paid",
    "responds twice": "          paid      paid      paid      paid      paid      paid",
    "responds too late": "       paid      paid      paid      paid      paid      paid",
    garbage: "                   paid      paid      paid      paid      paid      paid",
    "502 or reset": "            paid      paid      paid      paid      paid      paid",
    "arrives after not found": " paid      paid      paid      paid      paid      paid",
    "another amount": "          declined  paid      paid      paid      declined  declined",
    "pending, then no": "        paid      paid      paid      paid      paid      paid",
    "another reference": "       paid      paid      paid      paid      paid      paid",
    hangs: "                     paid      paid      paid      paid      paid      paid",
  },
  // The AReq for a card whose issuer requires authentication. An AReq without a response is never sent again and never
  // counts as an authentication. directory-proxy.ts implements each fault for an AReq.
  authenticate: {
    "responds late": "           paid      paid      rejected  rejected  rejected  paid",
    "request lost": "            rejected  paid      rejected  rejected  rejected  rejected",
    "response lost": "           rejected  paid      rejected  rejected  rejected  rejected",
    "responds twice": "          paid      paid      rejected  rejected  rejected  paid",
    "responds too late": "       rejected  paid      rejected  rejected  rejected  rejected",
    garbage: "                   rejected  paid      rejected  rejected  rejected  rejected",
    "502 or reset": "            rejected  paid      rejected  rejected  rejected  rejected",
    "arrives after not found": " rejected  paid      rejected  rejected  rejected  rejected",
    "another amount": "          rejected  paid      rejected  rejected  rejected  rejected",
    "pending, then no": "        rejected  paid      rejected  rejected  rejected  rejected",
    "another reference": "       rejected  paid      rejected  rejected  rejected  rejected",
    hangs: "                     rejected  paid      rejected  rejected  rejected  rejected",
  },
};

export type FaultCase = { readonly operation: Operation; readonly behavior: Behavior };

export function expectedAt({ operation, behavior }: FaultCase, crash: CrashPoint): string {
  const results = expected[operation][behavior].trim().split(/\s+/);
  return results[crashPoints.indexOf(crash)] as string;
}

export const faultCases: readonly FaultCase[] = (Object.keys(operations) as Operation[]).flatMap(
  (operation) =>
    (Object.keys(behaviors) as Behavior[]).map((behavior) => ({ operation, behavior })),
);
