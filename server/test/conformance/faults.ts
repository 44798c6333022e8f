/** The operations under test. Each sends a request to the acquirer and has its own effect on the money. */
export const verbs = [
  "sale",
  "hold",
  "capture in full",
  "capture in part",
  "cancel",
  "refund in full",
  "refund in part",
  "reversal of a hold",
  "reversal of a sale",
  "card verification",
  "sale with a gateway token",
] as const;
export type Verb = (typeof verbs)[number];

/** The request that each verb tests. Every acquirer under test translates these names. */
export const messages = {
  sale: "authorize",
  hold: "authorize",
  "capture in full": "capture",
  "capture in part": "capture",
  cancel: "void",
  "refund in full": "refund",
  "refund in part": "refund",
  "reversal of a hold": "cancel by reference",
  "reversal of a sale": "reverse",
  "card verification": "verify",
  "sale with a gateway token": "pay with a token",
} as const satisfies Record<Verb, string>;
export type Message = (typeof messages)[Verb];

/** Returns whether the service sends the request when it is due, which can be before the fault is added. */
export function isReversal(message: Message): boolean {
  return message === "cancel by reference" || message === "reverse";
}

/** An ability of an acquirer. A case runs only for acquirers that have the ability that the fault of the case needs. */
export type Capability =
  /** Confirms operations in notifications that it signs. */
  | "signed notifications"
  /** Can reject a request without processing it, and states this in the response. */
  | "temporary rejections"
  /** Reports later that a successful capture has failed. */
  | "late capture failures"
  /** Reports later that a successful refund has failed. */
  | "late refund failures"
  /** Approves a part of an amount, and declines captures, voids and refunds. */
  | "partial approvals"
  /** Declines after it has returned "pending". */
  | "later declines"
  /** Executes a request after an inquiry has not found it. */
  | "inquiries"
  /** Confirms the reversal of a reference that it has never received, and rejects the reference from then on. */
  | "blocked references"
  /** Decrypts the tokens of wallets. */
  | "gateway tokens";

/** The capability that a verb needs. */
export const verbNeeds: Partial<Record<Verb, Capability>> = {
  "sale with a gateway token": "gateway tokens",
};

type FaultRules = {
  readonly needs?: Capability;
  /** The messages to which the fault applies. Absent: all. */
  readonly on?: readonly Message[];
  /**
   * The outcome of the request. If it is `lost`, the acquirer did not execute it, and the service sends a capture, void
   * or refund again. If it is `reversed`, only the service's reversal ends the authorization.
   */
  readonly outcome: "executed" | "lost" | "reversed" | "declined" | "failed later";
  /** True if the outcome stays unknown until the acquirer repeats the notification. */
  readonly losesNotification?: boolean;
  /** True if the service receives no usable response in time. The timeout of the live acquirers is longer. */
  readonly losesResponse?: boolean | "at the simulator";
};

/** The faults of one request, and of the notification that it causes. */
export const faults = {
  none: { outcome: "executed" },
  "response cut": { outcome: "executed", losesResponse: true },
  "response cut in its body": { outcome: "executed", losesResponse: true },
  "request lost": { outcome: "lost", losesResponse: true },
  "502 after the execution": { outcome: "executed", losesResponse: true },
  "502 without execution": { outcome: "lost", losesResponse: true },
  "slow response": { outcome: "executed" },
  "response after the timeout": { outcome: "executed", losesResponse: "at the simulator" },
  "duplicate notification": { outcome: "executed" },
  "429": { outcome: "executed", needs: "temporary rejections" },
  "transient error": { outcome: "executed", needs: "temporary rejections" },
  "early notification": { outcome: "executed", needs: "signed notifications" },
  "lost notification": {
    outcome: "executed",
    needs: "signed notifications",
    losesNotification: true,
  },
  "lost response and notification": {
    outcome: "reversed",
    needs: "signed notifications",
    losesNotification: true,
    losesResponse: true,
  },
  "forged notification": { outcome: "executed", needs: "signed notifications" },
  "late capture failure": {
    outcome: "failed later",
    needs: "late capture failures",
    on: ["capture"],
  },
  "late refund failure": {
    outcome: "failed later",
    needs: "late refund failures",
    on: ["refund"],
  },
  "another amount": {
    outcome: "declined",
    needs: "partial approvals",
    on: ["authorize", "capture", "void", "refund"],
  },
  "pending, then declined": {
    outcome: "declined",
    needs: "later declines",
    on: ["authorize", "pay with a token", "capture", "void", "refund"],
  },
  "arrival after an inquiry": {
    outcome: "reversed",
    needs: "inquiries",
    on: ["authorize", "pay with a token"],
  },
} as const satisfies Record<string, FaultRules>;
export type Fault = keyof typeof faults;

export const rulesOf = (fault: Fault): FaultRules => faults[fault];
export const allFaults = Object.keys(faults) as Fault[];

export type FaultCase = {
  readonly verb: Verb;
  readonly fault: Fault;
  /** True if the service is killed after the acquirer has received the request. */
  readonly restart: boolean;
};

/** Every verb with every fault that applies to its request, without and with a restart of the service. */
export const faultCases: readonly FaultCase[] = verbs.flatMap((verb) =>
  allFaults
    .filter((fault) => rulesOf(fault).on?.includes(messages[verb]) ?? true)
    .flatMap((fault) => [false, true].map((restart) => ({ verb, fault, restart }))),
);

/**
 * The result of a case. `done` means the requested effect, and `not done` no effect. `reversing` means that the service
 * repeats a reversal because the acquirer cannot confirm it. `in review` means that a difference from the acquirer is
 * listed for an operator.
 */
export type Result = "done" | "not done" | "reversing" | "in review";

/** Returns the results that are correct for a case at an acquirer with these capabilities. */
export function expectedResults(
  { verb, fault, restart }: FaultCase,
  capabilities: ReadonlySet<Capability>,
): readonly Result[] {
  const { outcome, losesResponse } = rulesOf(fault);
  const message = messages[verb];
  // A verification moves no money. If its response is lost, it fails, and the customer tries again. After a restart, a
  // repeated request verifies the card if the killed server had not recorded it.
  if (message === "verify") {
    if (restart || losesResponse === "at the simulator") return ["done", "not done"];
    return losesResponse ? ["not done"] : ["done"];
  }
  // The service reverses a payment with an unknown outcome, unless an inquiry finds the approval first. Either result
  // is correct.
  const competes =
    capabilities.has("inquiries") && (message === "reverse" || outcome === "reversed");
  if (competes) return ["done", "not done"];
  if (message === "reverse" || message === "cancel by reference") return ["not done"];
  if (outcome === "declined" || outcome === "failed later") return ["not done"];
  // The service requests a capture, void or refund again until the acquirer confirms it.
  if (message !== "authorize" && message !== "pay with a token") return ["done"];
  if (outcome === "lost" && !capabilities.has("blocked references")) return ["reversing"];
  // The killed server did not record the response. The acquirer's notification competes with the reversal that the next
  // server sends.
  if (restart) {
    const isRejected = rulesOf(fault).needs === "temporary rejections";
    return isRejected ? ["done", "not done", "reversing"] : ["done", "not done"];
  }
  return outcome === "executed" ? ["done"] : ["not done"];
}
