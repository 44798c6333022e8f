import type { FrameSession } from "@florin/contract/frame.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import type { CardFields } from "../card/card-fields.ts";
import { digitsOf } from "../card/digits.ts";
import type { ErrorBody, FrameApi, ServedSession } from "./api.ts";
import { isWhole, screenOf } from "./screen.ts";

/** What the customer wants to pay with: what stands in the form, or a card that they saved before. */
export type Means = {
  readonly fields: CardFields;
  /** The saved card's payment method; null for the card in the form. */
  readonly saved: string | null;
  /** Which of the typed card's two networks they chose, if it has two and they did. */
  readonly network: CardNetwork | null;
  /** The consent that was given with it; part of the request that the Idempotency-Key stands for. */
  readonly save: boolean;
};

/**
 * One attempt to pay: one stored card and one Idempotency-Key (spec §8). Both stay the same however often the attempt has to
 * be asked for, so that a lost answer can never become a second charge.
 */
export type Attempt = {
  readonly means: Means;
  readonly paymentMethodId: string;
  readonly idempotencyKey: string;
};

export type AttemptResult =
  /** The session's new state: success, declined, requires_action or still processing, by this attempt or in another tab. */
  | { readonly kind: "session"; readonly session: ServedSession }
  /** The card itself was refused before anything was charged. */
  | { readonly kind: "card_refused"; readonly error: ErrorBody }
  /** Our own request was refused; the card has nothing to do with it. */
  | { readonly kind: "refused"; readonly error: ErrorBody }
  /** Nobody could tell what became of it; `attempt` is null when the card was not even stored. */
  | { readonly kind: "unknown"; readonly attempt: Attempt | null };

export type AttemptDeps = {
  readonly api: FrameApi;
  readonly newKey: () => string;
  readonly wait: (ms: number) => Promise<void>;
  /** Tells whoever looks at the browser's console of a bug of ours. */
  readonly report: (bug: unknown) => void;
};

/** Doubling waits (spec §7: exponential delay), about fifteen seconds in all. */
const retryDelaysMs = [500, 1000, 2000, 4000, 8000];

/** Whether nothing was changed but the consent: then it is the same attempt, with the consent it began with. */
export function isSame(one: Means, other: Means): boolean {
  return one.fields === other.fields && one.saved === other.saved && one.network === other.network;
}

/**
 * Stores the card, if it is not a saved one, and makes the attempt, or takes up an earlier one of the same card whose answer
 * was lost. It never throws: the form is locked while it runs, and no bug of ours may leave it so.
 */
export async function pay(
  deps: AttemptDeps,
  means: Means,
  before: FrameSession,
  unanswered: Attempt | null,
): Promise<AttemptResult> {
  let attempt = unanswered;
  try {
    if (!attempt) {
      const begun = await begin(deps, means, before);
      if ("kind" in begun) return begun;
      attempt = begun;
    }
    return await confirm(deps, attempt, before);
  } catch (bug) {
    deps.report(bug);
    return { kind: "unknown", attempt };
  }
}

async function begin(
  deps: AttemptDeps,
  means: Means,
  before: FrameSession,
): Promise<Attempt | AttemptResult> {
  if (means.saved) return { means, paymentMethodId: means.saved, idempotencyKey: deps.newKey() };
  const stored = await storeCard(deps, means);
  if (stored.kind === "unreachable") return { kind: "unknown", attempt: null };
  if (stored.kind === "refused") {
    const { error } = stored;
    if (error.type === "card_error") return { kind: "card_refused", error };
    return afterRefusal(deps, error, before);
  }
  const { payment_method_id } = stored.body;
  return { means, paymentMethodId: payment_method_id, idempotencyKey: deps.newKey() };
}

/** Storing a card moves no money, so it may simply be tried again. */
async function storeCard(deps: AttemptDeps, { fields, network }: Means) {
  for (const delay of retryDelaysMs.slice(0, 3)) {
    const answer = await deps.api.storeCard(fields, network);
    if (answer.kind !== "unreachable") return answer;
    await deps.wait(delay);
  }
  return deps.api.storeCard(fields, network);
}

async function confirm(
  deps: AttemptDeps,
  attempt: Attempt,
  before: FrameSession,
): Promise<AttemptResult> {
  const { paymentMethodId, idempotencyKey, means } = attempt;
  const cvc = means.saved ? digitsOf(means.fields.cvc) : null;
  for (const delay of retryDelaysMs) {
    const answer = await deps.api.confirm(paymentMethodId, idempotencyKey, means.save, cvc);
    if (answer.kind === "ok") return { kind: "session", session: answer.body };
    if (answer.kind === "refused") {
      const { error } = answer;
      // The security code of a saved card is checked here, as that of a typed one is when it is stored.
      if (error.type === "card_error") return { kind: "card_refused", error };
      return afterRefusal(deps, error, before);
    }
    await deps.wait(delay);
    // The answer was lost, not necessarily the payment: look before asking again.
    const moved = await lookWhetherMoved(deps, before);
    if (moved) return moved;
  }
  return { kind: "unknown", attempt };
}

/** The session may have moved on under us, expired or paid in another tab: then that is what happened, and no mistake. */
async function afterRefusal(
  deps: AttemptDeps,
  error: ErrorBody,
  before: FrameSession,
): Promise<AttemptResult> {
  return (await lookWhetherMoved(deps, before)) ?? { kind: "refused", error };
}

async function lookWhetherMoved(
  { api }: AttemptDeps,
  before: FrameSession,
): Promise<AttemptResult | null> {
  const seen = await api.readSession();
  if (seen.kind !== "ok") return null;
  const { body } = seen;
  const moved = !isWhole(body) || screenOf(body).name !== "form" || body.attempts > before.attempts;
  return moved ? { kind: "session", session: body } : null;
}
