import type { FrameMessage } from "../protocol/message.ts";
import type { ServedSession } from "./api.ts";
import { declineMessage, displayableCode } from "./decline-messages.ts";
import type { Words } from "./locales/words.ts";
import { isWhole, screenOf } from "./screen.ts";

/**
 * Returns the message to send to the merchant's page when the session changes, or null. A decline that occurred before
 * the frame was opened is not sent. A final status is sent again after a reload, because the page may have missed the
 * first message.
 */
export function messageToPage(
  words: Words,
  before: ServedSession | null,
  now: ServedSession,
): FrameMessage | null {
  const screen = screenOf(now);
  if (before && screenOf(before).name === screen.name && screen.name !== "form") return null;
  switch (screen.name) {
    case "form":
      if (!before || !screen.declined) return null;
      // Compares the number of attempts only if the previous screen was the form. An attempt with a challenge is
      // counted before the challenge, so the number does not change after the challenge.
      if (screenOf(before).name === "form" && attemptsOf(now) <= attemptsOf(before)) return null;
      return failedMessage(words, screen.declined, true);
    case "failed":
      return failedMessage(words, screen.declined, false);
    case "complete":
      return { type: "complete", session_id: now.id, status: "complete" };
    case "requires_action":
    case "expired":
    case "canceled":
      return { type: screen.name };
    case "preparing":
    case "processing":
      return null;
  }
}

function attemptsOf(session: ServedSession): number {
  return isWhole(session) ? session.attempts : 0;
}

type Rejection = { readonly code: string; readonly decline_code?: string | null };

export function failedMessage(
  words: Words,
  error: Rejection | null,
  retryable: boolean,
): FrameMessage {
  const code = error?.code ?? "card_declined";
  const declineCode = displayableCode(error?.decline_code ?? null);
  return {
    type: "failed",
    code,
    decline_code: declineCode,
    message: declineMessage(words, code, declineCode),
    retryable,
  };
}
