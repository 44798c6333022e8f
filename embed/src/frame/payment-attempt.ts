import type { FrameSession, OfferedTestWallet, OfferedWallet } from "@florin/contract/frame.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import type { CardFields } from "../card/card-fields.ts";
import { digitsOf } from "../card/digits.ts";
import type { ApiResult, ErrorBody, FrameApi, ServedSession } from "./api.ts";
import { isWhole, screenOf } from "./screen.ts";

/** A wallet of live mode, which returns a token after the customer has authorized the payment in its sheet. */
export type OfferedDigitalWallet = Exclude<OfferedWallet, OfferedTestWallet>;

/** The card that the customer chose in a wallet. A token contains a card in encrypted form. */
export type WalletCard =
  | { readonly wallet: OfferedTestWallet; readonly cardId: string }
  | { readonly wallet: OfferedDigitalWallet; readonly token: string };

/** The payment method of an attempt: the typed card, a saved card or a card in a wallet. */
export type ChosenCard = {
  readonly fields: CardFields;
  /** The payment method ID of the saved card. Null for any other card. */
  readonly saved: string | null;
  /** The card that the customer chose in a wallet. Null for any other card. */
  readonly inWallet: WalletCard | null;
  /** The network that the customer chose for a co-badged card. Null if the customer did not choose. */
  readonly network: CardNetwork | null;
  /**
   * The customer's consent to save the card. It is a parameter of the confirm request, so it must not change between
   * requests with the same Idempotency-Key.
   */
  readonly save: boolean;
};

/**
 * One payment attempt: a stored card and an Idempotency-Key. Retries reuse both, so that a lost response cannot lead to
 * a second charge.
 */
export type Attempt = {
  readonly chosenCard: ChosenCard;
  readonly paymentMethodId: string;
  readonly idempotencyKey: string;
};

export type AttemptResult =
  /** The session has a new state, because of this attempt or of a payment in another tab. */
  | { readonly kind: "session"; readonly session: ServedSession }
  /** The card was rejected before anything was charged. */
  | { readonly kind: "card_rejected"; readonly error: ErrorBody }
  /** The request was rejected for a reason unrelated to the card. */
  | { readonly kind: "rejected"; readonly error: ErrorBody }
  /** The outcome is unknown. `attempt` is null if the card was not stored. */
  | { readonly kind: "unknown"; readonly attempt: Attempt | null };

export type AttemptDeps = {
  readonly api: FrameApi;
  readonly newKey: () => string;
  readonly wait: (ms: number) => Promise<void>;
  /** Reports an unexpected exception to the browser's console. */
  readonly report: (bug: unknown) => void;
};

/** Exponential backoff, about 15 seconds in total. */
const retryDelaysMs = [500, 1000, 2000, 4000, 8000];

/**
 * Returns whether both attempts use the same payment method. Changing only the consent does not start a new attempt, so
 * a retry sends the original consent.
 */
export function isSameCard(one: ChosenCard, other: ChosenCard): boolean {
  return (
    one.fields === other.fields &&
    one.saved === other.saved &&
    one.network === other.network &&
    keyOf(one.inWallet) === keyOf(other.inWallet)
  );
}

function keyOf(card: WalletCard | null): string | null {
  if (card === null) return null;
  return "token" in card ? card.token : card.cardId;
}

/**
 * Stores a typed card or a wallet's card and confirms the session, or retries `unansweredAttempt`. Never throws,
 * because an exception would leave the form locked.
 */
export async function pay(
  deps: AttemptDeps,
  chosenCard: ChosenCard,
  before: FrameSession,
  unansweredAttempt: Attempt | null,
): Promise<AttemptResult> {
  let attempt = unansweredAttempt;
  try {
    if (!attempt) {
      const started = await begin(deps, chosenCard, before);
      if ("kind" in started) return started;
      attempt = started;
    }
    return await confirm(deps, attempt, before);
  } catch (bug) {
    deps.report(bug);
    return { kind: "unknown", attempt };
  }
}

async function begin(
  deps: AttemptDeps,
  chosenCard: ChosenCard,
  before: FrameSession,
): Promise<Attempt | AttemptResult> {
  if (chosenCard.saved)
    return { chosenCard, paymentMethodId: chosenCard.saved, idempotencyKey: deps.newKey() };
  const stored = await storeCard(deps, chosenCard, before);
  if (stored.kind === "unreachable") return { kind: "unknown", attempt: null };
  if (stored.kind === "rejected") {
    const { error } = stored;
    if (error.type === "card_error") return { kind: "card_rejected", error };
    return afterRejection(deps, error, before);
  }
  const { payment_method_id } = stored.body;
  return { chosenCard, paymentMethodId: payment_method_id, idempotencyKey: deps.newKey() };
}

async function storeCard(
  deps: AttemptDeps,
  { fields, network, inWallet }: ChosenCard,
  session: FrameSession,
) {
  if (!inWallet) return retry(deps, () => deps.api.storeCard(fields, network));
  if ("token" in inWallet) {
    return retry(deps, () => deps.api.storeWalletToken(inWallet.token, inWallet.wallet));
  }
  const { wallet, cardId } = inWallet;
  const requested = await retry(deps, () => deps.api.requestWalletToken(wallet, cardId, session));
  if (requested.kind !== "ok") return requested;
  return retry(deps, () => deps.api.storeWalletToken(requested.body.token, wallet));
}

/** Retries a request that moves no money, such as storing a card. It therefore needs no Idempotency-Key. */
async function retry<Body>(
  { wait }: AttemptDeps,
  request: () => Promise<ApiResult<Body>>,
): Promise<ApiResult<Body>> {
  for (const delay of retryDelaysMs.slice(0, 3)) {
    const result = await request();
    if (result.kind !== "unreachable") return result;
    await wait(delay);
  }
  return request();
}

async function confirm(
  deps: AttemptDeps,
  attempt: Attempt,
  before: FrameSession,
): Promise<AttemptResult> {
  const { paymentMethodId, idempotencyKey, chosenCard } = attempt;
  const cvc = chosenCard.saved ? digitsOf(chosenCard.fields.cvc) : null;
  for (const delay of retryDelaysMs) {
    const result = await deps.api.confirm(paymentMethodId, idempotencyKey, chosenCard.save, cvc);
    if (result.kind === "ok") return { kind: "session", session: result.body };
    if (result.kind === "rejected") {
      const { error } = result;
      // For a saved card, the confirm request checks the security code. For a typed card, the code was already checked
      // when the card was stored.
      if (error.type === "card_error") return { kind: "card_rejected", error };
      return afterRejection(deps, error, before);
    }
    await deps.wait(delay);
    // The payment may have succeeded although the response was lost. Read the session before the retry.
    const changed = await readIfChanged(deps, before);
    if (changed) return changed;
  }
  return { kind: "unknown", attempt };
}

/** Returns the session instead of the error if the session expired, or was paid in another tab. */
async function afterRejection(
  deps: AttemptDeps,
  error: ErrorBody,
  before: FrameSession,
): Promise<AttemptResult> {
  return (await readIfChanged(deps, before)) ?? { kind: "rejected", error };
}

async function readIfChanged(
  { api }: AttemptDeps,
  before: FrameSession,
): Promise<AttemptResult | null> {
  const seen = await api.readSession();
  if (seen.kind !== "ok") return null;
  const { body } = seen;
  const changed =
    !isWhole(body) || screenOf(body).name !== "form" || body.attempts > before.attempts;
  return changed ? { kind: "session", session: body } : null;
}
