import type { Faults, Message } from "../../../src/processors/simulator/faults.ts";

/** Where the server dies, if it does, on the way of one request to the acquirer. */
export const crashPoints = [
  "none",
  "before the intention is written",
  "written, not sent",
  "sent, not answered",
  "answered, not recorded",
  "recorded, reply lost",
] as const;
export type CrashPoint = (typeof crashPoints)[number];

/** How long the acquirer is waited for in these tests: long enough for a busy machine to answer a plain request. */
export const answerWithinMs = 2_500;

/** The same for the directory server, which asks the bank, over real connections. */
export const bankAnswersWithinMs = 4_000;

/** A request that hangs is carried out after this; whoever waits a little longer knows what became of all of them. */
export const hangMs = 3_500;

/** What an acquirer, or the line to it, can do to one message. */
export const behaviours = {
  "answers late": { delayMs: 150 },
  "request lost": { dropBefore: true },
  "answer lost": { dropAfter: true },
  "answers twice": { answerTwice: true },
  "answers too late": { delayMs: answerWithinMs + 250 },
  garbage: { garbage: true },
  "502 or reset": { reset: true },
  "arrives after not found": { arriveAfterNotFound: true },
  "another amount": { otherAmount: true },
  "pending, then no": { refuseLate: true },
  "another reference": { otherReference: true },
  hangs: { hangMs },
} as const satisfies Record<string, Faults>;
export type Behaviour = keyof typeof behaviours;

/** What is asked of the acquirer, and by which message; and of the bank, which is asked by nobody else. */
export const operations = {
  authorise: "authorize",
  capture: "capture",
  void: "void",
  refund: "refund",
  inquiry: "inquire",
  authenticate: null,
} as const satisfies Record<string, Message | null>;
export type Operation = keyof typeof operations;

/**
 * What must be true in the end, when the server that died has been started again and everybody who was not answered has
 * sent the same once more. The columns are the crash points, in their order:
 *
 *   none · before the intention · not sent · not answered · not recorded · reply lost
 *
 * A request that is sent again as if for the first time meets a line that is well by then.
 */
export const expected: Readonly<Record<Operation, Readonly<Record<Behaviour, string>>>> = {
  // paid; declined by the bank; undone: the bank was told to forget it, and the charge has failed.
  authorise: {
    //                         none      before  not sent  not answered  not recorded  reply lost
    "answers late": "            paid      paid    undone    paid          paid          paid",
    "request lost": "            undone    paid    undone    undone        undone        undone",
    "answer lost": "             paid      paid    undone    paid          paid          paid",
    "answers twice": "           paid      paid    undone    paid          paid          paid",
    "answers too late": "        paid      paid    undone    paid          paid          paid",
    garbage: "                   paid      paid    undone    paid          paid          paid",
    "502 or reset": "            paid      paid    undone    paid          paid          paid",
    "arrives after not found": " undone    paid    undone    undone        undone        undone",
    "another amount": "          declined  paid    undone    declined      declined      declined",
    "pending, then no": "        declined  paid    undone    declined      declined      declined",
    "another reference": "       paid      paid    undone    paid          paid          paid",
    hangs: "                     paid      paid    undone    undone        paid          paid",
  },
  // captured, or held as before: what the acquirer does not know of it is asked to do again.
  capture: {
    "answers late": "            captured  captured  captured  captured  captured  captured",
    "request lost": "            captured  captured  captured  captured  captured  captured",
    "answer lost": "             captured  captured  captured  captured  captured  captured",
    "answers twice": "           captured  captured  captured  captured  captured  captured",
    "answers too late": "        captured  captured  captured  captured  captured  captured",
    garbage: "                   captured  captured  captured  captured  captured  captured",
    "502 or reset": "            captured  captured  captured  captured  captured  captured",
    "arrives after not found": " captured  captured  captured  captured  captured  captured",
    "another amount": "          held      captured  captured  held      held      held",
    "pending, then no": "        held      captured  captured  held      held      held",
    "another reference": "       captured  captured  captured  captured  captured  captured",
    hangs: "                     captured  captured  captured  captured  captured  captured",
  },
  void: {
    "answers late": "            released  released  released  released  released  released",
    "request lost": "            released  released  released  released  released  released",
    "answer lost": "             released  released  released  released  released  released",
    "answers twice": "           released  released  released  released  released  released",
    "answers too late": "        released  released  released  released  released  released",
    garbage: "                   released  released  released  released  released  released",
    "502 or reset": "            released  released  released  released  released  released",
    "arrives after not found": " released  released  released  released  released  released",
    "another amount": "          held      released  released  held      held      held",
    "pending, then no": "        held      released  released  held      held      held",
    "another reference": "       released  released  released  released  released  released",
    hangs: "                     released  released  released  released  released  released",
  },
  // refunded; or kept: the refund failed, and its amount can be refunded again.
  refund: {
    "answers late": "            refunded  refunded  refunded  refunded  refunded  refunded",
    "request lost": "            refunded  refunded  refunded  refunded  refunded  refunded",
    "answer lost": "             refunded  refunded  refunded  refunded  refunded  refunded",
    "answers twice": "           refunded  refunded  refunded  refunded  refunded  refunded",
    "answers too late": "        refunded  refunded  refunded  refunded  refunded  refunded",
    garbage: "                   refunded  refunded  refunded  refunded  refunded  refunded",
    "502 or reset": "            refunded  refunded  refunded  refunded  refunded  refunded",
    "arrives after not found": " refunded  refunded  refunded  refunded  refunded  refunded",
    "another amount": "          kept      refunded  refunded  kept      kept      kept",
    "pending, then no": "        kept      refunded  refunded  kept      kept      kept",
    "another reference": "       refunded  refunded  refunded  refunded  refunded  refunded",
    hangs: "                     refunded  refunded  refunded  refunded  refunded  refunded",
  },
  // About a charge that was approved, and whose answer was lost. Half of it, once heard, is given back at once.
  inquiry: {
    "answers late": "            paid      paid    paid      paid          paid          paid",
    "request lost": "            paid      paid    paid      paid          paid          paid",
    "answer lost": "             paid      paid    paid      paid          paid          paid",
    "answers twice": "           paid      paid    paid      paid          paid          paid",
    "answers too late": "        paid      paid    paid      paid          paid          paid",
    garbage: "                   paid      paid    paid      paid          paid          paid",
    "502 or reset": "            paid      paid    paid      paid          paid          paid",
    "arrives after not found": " paid      paid    paid      paid          paid          paid",
    "another amount": "          declined  paid    paid      paid          declined      declined",
    "pending, then no": "        paid      paid    paid      paid          paid          paid",
    "another reference": "       paid      paid    paid      paid          paid          paid",
    hangs: "                     paid      paid    paid      paid          paid          paid",
  },
  // The request of 3-D Secure, for a card whose bank insists on it. What was asked and not heard is never asked again, and
  // never taken for a yes. A part of the answer is its proof, and a late "no" is the bank's (bank-line.ts).
  authenticate: {
    //                         none      before  not sent  not answered  not recorded  reply lost
    "answers late": "            paid      paid    refused   refused       refused       paid",
    "request lost": "            refused   paid    refused   refused       refused       refused",
    "answer lost": "             refused   paid    refused   refused       refused       refused",
    "answers twice": "           paid      paid    refused   refused       refused       paid",
    "answers too late": "        refused   paid    refused   refused       refused       refused",
    garbage: "                   refused   paid    refused   refused       refused       refused",
    "502 or reset": "            refused   paid    refused   refused       refused       refused",
    "arrives after not found": " refused   paid    refused   refused       refused       refused",
    "another amount": "          refused   paid    refused   refused       refused       refused",
    "pending, then no": "        refused   paid    refused   refused       refused       refused",
    "another reference": "       refused   paid    refused   refused       refused       refused",
    hangs: "                     refused   paid    refused   refused       refused       refused",
  },
};

export type Cell = { readonly operation: Operation; readonly behaviour: Behaviour };

export function expectedAt({ operation, behaviour }: Cell, crash: CrashPoint): string {
  const words = expected[operation][behaviour].trim().split(/\s+/);
  return words[crashPoints.indexOf(crash)] as string;
}

export const cells: readonly Cell[] = (Object.keys(operations) as Operation[]).flatMap(
  (operation) =>
    (Object.keys(behaviours) as Behaviour[]).map((behaviour) => ({ operation, behaviour })),
);
