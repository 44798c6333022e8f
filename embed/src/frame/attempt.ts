import type { FrameSession } from "@florin/contract/frame.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import type { CardFields } from "../card/card-fields.ts";
import { digitsOf } from "../card/digits.ts";
import type { ErrorBody, FrameApi, ServedSession } from "./api.ts";
import { isWhole, screenOf } from "./screen.ts";

/** The card to pay with: the typed card or a saved one. */
export type Means = {
  readonly fields: CardFields;
  /** The saved card's payment method; null for the card in the form. */
  readonly saved: string | null;
  /** The network that the customer chose for a co-badged card. Null without a choice. */
  readonly network: CardNetwork | null;
  /** The customer's consent to save the card. It is part of the request that the Idempotency-Key identifies. */
  readonly save: boolean;
};

/**
 * One attempt to pay: one stored card and one Idempotency-Key. Both stay the same through every retry, so that a lost
 * response can never become a second charge.
 */
export type Attempt = {
  readonly means: Means;
  readonly paymentMethodId: string;
  readonly idempotencyKey: string;
};

export type AttemptResult =
  /** The session's new state: success, declined, requires_action or processing, by this attempt or in another tab. */
  | { readonly kind: "session"; readonly session: ServedSession }
  /** The card was rejected before anything was charged. */
  | { readonly kind: "card_refused"; readonly error: ErrorBody }
  /** Our own request was rejected, for a reason unrelated to the card. */
  | { readonly kind: "refused"; readonly error: ErrorBody }
  /** The outcome is unknown. `attempt` is null when the card was not even stored. */
  | { readonly kind: "unknown"; readonly attempt: Attempt | null };

export type AttemptDeps = {
  readonly api: FrameApi;
  readonly newKey: () => string;
  readonly wait: (ms: number) => Promise<void>;
  /** Reports a bug of ours to the browser's console. */
  readonly report: (bug: unknown) => void;
};

/** Exponential backoff, about fifteen seconds in all. */
const retryDelaysMs = [500, 1000, 2000, 4000, 8000];

/** Returns whether only the consent changed. The attempt is then the same one, with its original consent. */
export function isSame(one: Means, other: Means): boolean {
  return one.fields === other.fields && one.saved === other.saved && one.network === other.network;
}

/**
 * Stores the card unless it is a saved one and confirms the session, or retries an earlier attempt with the same card
 * whose response was lost. Never throws, because the form is locked while it runs and would stay locked.
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

/** Storing a card moves no money, so it is safe to retry. */
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
      // The security code of a saved card is checked here. That of a typed card is checked when the card is stored.
      if (error.type === "card_error") return { kind: "card_refused", error };
      return afterRefusal(deps, error, before);
    }
    await deps.wait(delay);
    // The response was lost, not necessarily the payment. Read the session before the retry.
    const moved = await lookWhetherMoved(deps, before);
    if (moved) return moved;
  }
  return { kind: "unknown", attempt };
}

/** Returns the session if it expired or was paid in another tab: the rejection is then not an error. */
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
