import type { FrameSession, SavedCard } from "@florin/contract/frame.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import { brandOf, cvcLengthOf } from "../card/brand.ts";
import {
  type CardFields,
  emptyFields,
  type FieldProblems,
  fieldOrder,
  problemsOf,
} from "../card/card-fields.ts";
import { networksToChoose } from "../card/co-badged.ts";
import { cvcProblem } from "../card/cvc.ts";
import { digitsOf } from "../card/digits.ts";
import type { CardBrand, CardField, FrameMessage } from "../protocol/message.ts";
import type { ApiResult, ServedSession } from "./api.ts";
import { problemForCode, problemForParameter, type ShownProblems } from "./field-problems.ts";
import type { Words } from "./locales/words.ts";
import { failedMessage, messageToPage } from "./message-to-page.ts";
import {
  type Attempt,
  type AttemptDeps,
  type AttemptResult,
  type ChosenCard,
  isSameCard,
  type OfferedDigitalWallet,
  pay,
  type WalletCard,
} from "./payment-attempt.ts";
import { pollDelayMs, reconnectDelayMs } from "./polling.ts";
import { isTerminal, isWhole, merged, screenOf } from "./screen.ts";

/**
 * The state that the screens render. Card data is stored only in this state and in the inputs, and is cleared when the
 * session ends.
 */
export type CheckoutState = {
  readonly session: ServedSession | null;
  /** The reason why there is no session to show, or null. */
  readonly loadFailure: "missing" | "unreachable" | null;
  readonly fields: CardFields;
  readonly problems: ShownProblems;
  /** True while an attempt or the cancellation of a challenge is in progress. */
  readonly busy: boolean;
  /** The delay of the payment, which selects a text. Null until the payment takes longer than usual. */
  readonly delay: Delay | null;
  /** True while the browser has no connection. */
  readonly offline: boolean;
  /** The saved card to pay with. Null if the customer pays with the typed card. */
  readonly saved: string | null;
  /** The network that the customer chose for a co-badged card. Ignored if the current card is not in that network. */
  readonly network: CardNetwork | null;
  /** The customer's consent to save the card. Only the customer sets it. */
  readonly save: boolean;
  /** True if the form shows a field for the postal code. */
  readonly requiredFields: { readonly postalCode: boolean };
  /** The problem of the last attempt. A decline is not stored here, because it is part of the session. */
  readonly notice: {
    /**
     * `wallet`: the payment sheet could not be opened, and nothing was charged. `code` is the wallet, such as
     * `apple_pay`.
     */
    readonly kind: "card" | "rejected" | "no_response" | "wallet";
    readonly code: string;
  } | null;
  /** The field to focus. Setting a new object moves the focus again, even to the same field. */
  readonly focus: { readonly field: CardField } | null;
  /**
   * The difference between the server's clock and this device's clock in milliseconds, positive if the server's clock
   * is ahead.
   */
  readonly clockOffsetMs: number;
};

/** `slow` after four seconds without an outcome, `very_slow` after ten seconds. */
export type Delay = "slow" | "very_slow";

const slowAfterMs = 4_000;
const verySlowAfterMs = 10_000;

/**
 * The time for which the wallet's sheet waits for the outcome. Apple closes its sheet with an error after 30 seconds,
 * and requests before the payment use up a part of that time.
 */
const maxSheetMs = 20_000;

/**
 * The outcome of a payment for the wallet's sheet. `pending`: the customer must act, or the bank has not responded yet.
 */
export type WalletOutcome = "paid" | "not_paid" | "pending";

export type CheckoutDeps = AttemptDeps & {
  readonly now: () => number;
  /** Returns the texts in the customer's language, which may change while the form is shown. */
  readonly words: () => Words;
  /** Schedules a call and returns a function that cancels it. */
  readonly later: (ms: number, run: () => void) => () => void;
  /** Sends a message to the merchant's page, if there is one. */
  readonly notifyPage: (message: FrameMessage) => void;
};

export type Checkout = ReturnType<typeof createCheckout>;

/** The screens on which the customer waits for the outcome from the bank. */
const waitingScreens: ReadonlySet<string> = new Set(["processing", "preparing"]);

export function createCheckout(deps: CheckoutDeps) {
  let state: CheckoutState = {
    session: null,
    loadFailure: null,
    fields: emptyFields,
    problems: {},
    busy: false,
    delay: null,
    offline: false,
    saved: null,
    network: null,
    save: false,
    requiredFields: { postalCode: false },
    notice: null,
    focus: null,
    clockOffsetMs: 0,
  };
  const listeners = new Set<() => void>();
  /** Set before the first await, so that a second click is ignored. */
  let paying = false;
  /** True if the latest attempt used a wallet, so that its decline does not concern the fields of the form. */
  let paysWithWallet = false;
  let unansweredAttempt: Attempt | null = null;
  let reads = 0;
  let disposed = false;
  /**
   * Counts the accepted session reads. A response is stale if another response was accepted after the request was sent.
   */
  let accepted = 0;
  let cancelNextRead = () => {};
  /** Cancels the timers that change `delay`. Null while the customer does not wait for an outcome. */
  let cancelDelays: (() => void) | null = null;

  function change(part: Partial<CheckoutState>): void {
    if (disposed) return;
    state = { ...state, ...part };
    for (const listener of listeners) listener();
  }

  /**
   * Starts the timers that change `delay` if the customer waits for an outcome, and otherwise stops them. Called after
   * every change that can start or end the wait.
   */
  function updateDelay(): void {
    const { session, busy } = state;
    const waitsOnScreen = session && isWhole(session) && waitingScreens.has(screenOf(session).name);
    if (busy || waitsOnScreen) {
      if (cancelDelays) return;
      const timers = [
        deps.later(slowAfterMs, () => change({ delay: "slow" })),
        deps.later(verySlowAfterMs, () => change({ delay: "very_slow" })),
      ];
      cancelDelays = () => {
        for (const cancel of timers) cancel();
      };
      return;
    }
    cancelDelays?.();
    cancelDelays = null;
    if (state.delay) change({ delay: null });
  }

  const serverNow = () => new Date(deps.now() + state.clockOffsetMs);

  function accept(served: ServedSession): void {
    const before = state.session;
    if (before && isTerminal(before)) return;
    accepted += 1;
    const session = merged(before, served);
    const changed = hasChanged(before, session);
    if (changed) {
      reads = 0;
      unansweredAttempt = null;
    }
    change({
      session,
      loadFailure: null,
      // Clears the notice, which concerns the previous state of the session.
      ...(changed && { notice: null }),
      saved: selectedSavedCard(before, session, state.saved),
      clockOffsetMs: session.server_time * 1000 - deps.now(),
      ...(isTerminal(session) && { fields: emptyFields, problems: {} }),
      ...(changed && before && !paysWithWallet && declineProblemState(session, state.saved)),
    });
    updateDelay();
    const message = messageToPage(deps.words(), before, session);
    if (message) deps.notifyPage(message);
    planNextRead();
  }

  function planNextRead(): void {
    cancelNextRead();
    if (paying || disposed) return;
    const delay = nextDelayMs();
    if (delay !== null) cancelNextRead = deps.later(delay, () => void refresh());
  }

  function nextDelayMs(): number | null {
    const { session, loadFailure } = state;
    if (!session) return loadFailure === "unreachable" ? reconnectDelayMs : null;
    if (!isWhole(session)) return null;
    const msToExpiry = session.expires_at * 1000 - serverNow().getTime();
    const delay = pollDelayMs(screenOf(session), reads, msToExpiry);
    // Reads the session soon, because the attempt whose response was lost may have succeeded.
    return delay !== null && unansweredAttempt ? Math.min(delay, reconnectDelayMs) : delay;
  }

  /**
   * Reads the session at the start, while a payment is in progress, and when the page becomes visible or goes online
   * again.
   */
  async function refresh(): Promise<void> {
    if (paying || (state.session && isTerminal(state.session))) return;
    reads += 1;
    const acceptedBefore = accepted;
    const response = await deps.api.readSession();
    if (acceptedBefore !== accepted || paying || disposed) return;
    if (response.kind === "ok") accept(response.body);
    else {
      if (!state.session) change({ loadFailure: loadFailureOf(response) });
      planNextRead();
    }
  }

  /** Returns the session if the form is shown and no attempt is in progress. Returns null otherwise. */
  function payableSession(): FrameSession | null {
    const { session } = state;
    if (paying || !session || !isWhole(session)) return null;
    return screenOf(session).name === "form" ? session : null;
  }

  async function submit(): Promise<void> {
    const { fields, saved } = state;
    const session = payableSession();
    if (!session) return;
    const problems = problemsNow();
    const first = fieldOrder.find((field) => problems[field]);
    if (first) {
      change({ problems, notice: null, focus: { field: first } });
      notifyChange();
      return;
    }
    const save = !saved && session.save_payment_method && state.save;
    const offered = networksToChoose(fields.number, session.co_badged);
    const network = offered.find((name) => name === state.network) ?? null;
    await attempt({ fields, saved, network, save, inWallet: null }, session);
  }

  /**
   * Pays with a card that the customer chose in a wallet. The fields of the form are not used. Returns the outcome,
   * with which the caller closes the wallet's sheet.
   */
  async function payWithWallet(inWallet: WalletCard): Promise<WalletOutcome> {
    const session = payableSession();
    if (!session) return "not_paid";
    const { fields } = state;
    await attempt({ fields, saved: null, network: null, save: false, inWallet }, session);
    return outcomeForWallet();
  }

  /** Waits while the bank processes the payment, but not while the customer must act. */
  function outcomeForWallet(): Promise<WalletOutcome> {
    return new Promise((resolve) => {
      const check = (isLate: boolean): void => {
        const { session } = state;
        const screen = session && screenOf(session).name;
        if (!isLate && screen && waitingScreens.has(screen)) return;
        listeners.delete(checkNow);
        cancelWait();
        const isPending = screen === "requires_action" || (screen && waitingScreens.has(screen));
        resolve(screen === "complete" ? "paid" : isPending ? "pending" : "not_paid");
      };
      const checkNow = () => check(false);
      const cancelWait = deps.later(maxSheetMs, () => check(true));
      listeners.add(checkNow);
      checkNow();
    });
  }

  /** Shows that the wallet's sheet could not be opened. A payment in progress is not affected. */
  function reportWalletFailure({ type }: OfferedDigitalWallet): void {
    if (!payableSession()) return;
    change({ notice: { kind: "wallet", code: type } });
    deps.notifyPage({
      type: "error",
      code: "wallet_unavailable",
      message: "The wallet could not be opened. The customer can try again or pay by card.",
    });
  }

  async function attempt(chosenCard: ChosenCard, session: FrameSession): Promise<void> {
    paying = true;
    paysWithWallet = chosenCard.inWallet !== null;
    cancelNextRead();
    change({ busy: true, problems: {}, notice: null });
    updateDelay();
    deps.notifyPage({ type: "submitting" });
    const again =
      unansweredAttempt && isSameCard(unansweredAttempt.chosenCard, chosenCard)
        ? unansweredAttempt
        : null;
    const result = await pay(deps, chosenCard, session, again);
    paying = false;
    unansweredAttempt = result.kind === "unknown" ? result.attempt : null;
    change({ busy: false });
    conclude(result);
    updateDelay();
  }

  function conclude(result: AttemptResult): void {
    switch (result.kind) {
      case "session":
        accept(result.session);
        break;
      case "card_rejected": {
        const { decline_code } = result.error;
        const explains =
          decline_code === "testmode_decline" || decline_code === "card_not_supported";
        const code = explains ? decline_code : result.error.code;
        const problems = paysWithWallet ? null : problemForCode(code);
        change({ notice: { kind: "card", code }, ...problemState(problems) });
        deps.notifyPage(failedMessage(deps.words(), result.error, true));
        planNextRead();
        break;
      }
      case "rejected":
        change({
          notice: { kind: "rejected", code: result.error.code },
          ...problemState(problemForParameter(result.error.param)),
        });
        deps.notifyPage({
          type: "error",
          code: "rejected",
          message: "The payment could not be started. The form shows the customer the reason.",
        });
        planNextRead();
        break;
      case "unknown":
        change({ notice: { kind: "no_response", code: "unreachable" } });
        deps.notifyPage({
          type: "error",
          code: "unreachable",
          message:
            "The payment service could not be reached. The customer can try again and is not charged twice.",
        });
        planNextRead();
        break;
    }
  }

  /**
   * Cancels the challenge that the customer closed. If the request is lost, the challenge continues and can be closed
   * again.
   */
  async function cancelChallenge(): Promise<void> {
    const { session } = state;
    if (paying || !session || screenOf(session).name !== "requires_action") return;
    paying = true;
    cancelNextRead();
    change({ busy: true });
    const response = await deps.api.cancelChallenge();
    paying = false;
    change({ busy: false });
    if (response.kind === "ok") accept(response.body);
    else planNextRead();
  }

  /** Returns the problems that prevent the payment. For a saved card, only the security code is checked. */
  function problemsNow(): FieldProblems {
    const saved = savedCard();
    if (!saved) return problemsOf(state.fields, serverNow(), state.requiredFields);
    const cvc = cvcProblem(state.fields.cvc, cvcLengthOf(saved.brand));
    return cvc ? { cvc } : {};
  }

  function savedCard(): SavedCard | null {
    const { session, saved } = state;
    if (!session || !isWhole(session)) return null;
    return session.saved_cards.find(({ payment_method_id }) => payment_method_id === saved) ?? null;
  }

  /** Selects a saved card. Null selects the typed card. */
  function choose(saved: string | null): void {
    if (paying) return;
    // Clears the security code, because it belongs to the card that was selected before.
    const fields = { ...state.fields, cvc: "" };
    change({ saved, fields, problems: {}, notice: null, focus: null });
    notifyChange();
  }

  function edit(field: CardField, text: string): void {
    if (paying) return;
    const { [field]: _, ...problems } = state.problems;
    change({ fields: { ...state.fields, [field]: text }, problems });
    notifyChange();
  }

  /** Called on blur. Marks an incomplete field immediately. An empty field is marked only on submit. */
  function leave(field: CardField): void {
    const problem = problemsNow()[field];
    if (paying || !problem || state.fields[field].trim() === "" || state.problems[field]) return;
    change({ problems: { ...state.problems, [field]: problem } });
    notifyChange();
  }

  function fill(fields: CardFields): void {
    if (paying) return;
    change({ fields, saved: null, network: null, problems: {}, notice: null });
    notifyChange();
  }

  function notifyChange(): void {
    deps.notifyPage({
      type: "change",
      complete: Object.keys(problemsNow()).length === 0,
      brand: state.saved ? brandOfSaved() : brandOf(digitsOf(state.fields.number)).brand,
      invalid: fieldOrder.filter((field) => state.problems[field]),
    });
  }

  function brandOfSaved(): CardBrand | null {
    const card = savedCard();
    return card && card.brand !== "unknown" ? card.brand : null;
  }

  function firstIncompleteField(): CardField {
    const problems = problemsNow();
    return fieldOrder.find((field) => problems[field]) ?? "number";
  }

  return {
    state: () => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    serverNow,
    refresh,
    submit,
    payWithWallet,
    reportWalletFailure,
    startAppleSession: deps.api.startAppleSession,
    cancelChallenge,
    edit,
    leave,
    choose,
    fill,
    chooseNetwork(network: CardNetwork): void {
      if (!paying) change({ network });
    },
    setOffline(offline: boolean): void {
      change({ offline });
    },
    consent(save: boolean): void {
      if (!paying) change({ save });
    },
    setRequiredFields: (requiredFields: CheckoutState["requiredFields"]) =>
      change({ requiredFields }),
    focus: (field: CardField | null) =>
      change({ focus: { field: field ?? firstIncompleteField() } }),
    dispose() {
      disposed = true;
      cancelNextRead();
    },
  };
}

/** Returns whether the session's status or latest attempt changed. */
function hasChanged(before: ServedSession | null, now: ServedSession): boolean {
  if (before?.status !== now.status) return true;
  return isWhole(before) && isWhole(now) && before.attempts !== now.attempts;
}

function loadFailureOf(response: ApiResult<unknown>): CheckoutState["loadFailure"] {
  return response.kind === "unreachable" ? "unreachable" : "missing";
}

/**
 * Returns the ID of the selected saved card. Initially that is the newest card. Returns null if the session no longer
 * offers the selected card.
 */
function selectedSavedCard(
  before: ServedSession | null,
  session: ServedSession,
  chosen: string | null,
): string | null {
  if (!isWhole(session)) return null;
  const { saved_cards } = session;
  if (!before) return saved_cards[0]?.payment_method_id ?? null;
  return saved_cards.some(({ payment_method_id }) => payment_method_id === chosen) ? chosen : null;
}

/** Returns the part of the state that marks the field to which the decline code refers. */
function declineProblemState(session: ServedSession, saved: string | null): Partial<CheckoutState> {
  const screen = screenOf(session);
  if (screen.name !== "form" || !screen.declined) return {};
  const code = screen.declined.decline_code ?? screen.declined.code;
  if (saved) {
    // For a saved card, the security code is the only field that the customer can correct.
    const cvc = problemForCode(code)?.cvc;
    return cvc ? problemState({ cvc }) : {};
  }
  // An incorrect postal code caused the decline, so the form shows the field for it.
  const marks = problemState(problemForCode(code));
  return { ...marks, ...(code === "incorrect_zip" && { requiredFields: { postalCode: true } }) };
}

function problemState(problems: ShownProblems | null): Partial<CheckoutState> {
  if (!problems) return {};
  const field = fieldOrder.find((name) => problems[name]);
  return { problems, ...(field && { focus: { field } }) };
}
