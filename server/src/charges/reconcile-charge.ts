import type { ProcessorAnswer, ProcessorNotice } from "../processors/processor.ts";
import { askWhatHappened, refusePart, undoForEver } from "./ask-processor.ts";
import { readCharge } from "./charge.sql.ts";
import type { Charge, ProcessingCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { nextInquiry } from "./inquiry-schedule.ts";
import { recordCharge } from "./record-charge.ts";
import { hear } from "./settle.ts";

/** Asks the acquirer what became of a charge whose answer never came, and records it. */
export async function reconcileCharge(deps: ChargeDeps, charge: ProcessingCharge): Promise<void> {
  const processor = deps.processorFor(charge.owner);
  if (!processor) return recordInquiry(deps, charge, { kind: "unknown", why: "connection_lost" });

  let asked = charge;
  if (!charge.undoing) {
    const answer = await askWhatHappened(processor, charge);
    if (answer.kind !== "not_found") return recordInquiry(deps, charge, answer);
    const undoing = await beginUndoing(deps, charge);
    // Somebody else has learnt the outcome meanwhile, and it must not be undone.
    if (!undoing) return;
    asked = undoing;
  }
  return recordInquiry(deps, asked, await undoForEver(processor, asked));
}

/**
 * Writes down that the charge is about to be reversed, before the acquirer is asked to. The request may be
 * approved between the inquiry and the reversal, and would be recorded as paid and then be taken back.
 */
async function beginUndoing(
  deps: ChargeDeps,
  charge: ProcessingCharge,
): Promise<ProcessingCharge | null> {
  const { charge: stored } = await recordCharge(deps, charge, (current) =>
    current.undoing
      ? null
      : {
          ...current,
          version: current.version + 1,
          pendingReason: "outcome_unknown",
          undoing: true,
        },
  );
  return stored.status === "processing" ? stored : null;
}

async function recordInquiry(
  deps: ChargeDeps,
  charge: ProcessingCharge,
  answer: ProcessorAnswer,
): Promise<void> {
  await recordCharge(deps, charge, (current, now) =>
    hearInquiry(deps, { ...current, inquiries: current.inquiries + 1 }, answer, now),
  );
}

/** When no inquiry is left the charge waits for a person; it never becomes `failed` for want of an answer. */
function hearInquiry(
  deps: ChargeDeps,
  charge: ProcessingCharge,
  answer: ProcessorAnswer,
  now: Date,
): Charge | null {
  const next = hear(charge, answer, now);
  if (next?.status !== "processing" || nextInquiry(charge.inquiries, now, 0)) return next;
  deps.log.manualReview(charge.id);
  return { ...next, pendingReason: "manual_review" };
}

/**
 * Takes an acquirer's notice. It may come twice, out of order, or before the answer it tells of: whatever comes
 * after the first end changes nothing.
 */
export async function takeNotice(deps: ChargeDeps, notice: ProcessorNotice): Promise<void> {
  const owner = { account: notice.account, livemode: notice.livemode };
  const charge = await readCharge(deps.database.read, owner, notice.reference);
  if (charge?.status !== "processing") return;
  // "Not yet" is no news, and must not push the next inquiry further away.
  if (notice.answer.kind === "pending" || notice.answer.kind === "unknown") return;
  const processor = deps.processorFor(owner);
  const answer = processor ? await refusePart(processor, charge, notice.answer) : notice.answer;
  // A part that could not be given back yet is asked about again when its inquiry is due.
  if (answer.kind === "unknown") return;
  await recordCharge(deps, charge, (current, now) => hear(current, answer, now));
}
