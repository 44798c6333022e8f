/**
 * The protocol between the merchant's page and the card frame.
 *
 * 1. The page's loader creates the frame and listens for messages on its own window.
 * 2. The frame reads the session's allowed origins from the service and posts `hello` to its parent once per allowed
 *   origin, each with that origin as the target. The browser delivers only to the true origin, so a page that is not
 *   allowed receives nothing and cannot detect that there is a session. `*` is never used.
 * 3. The loader accepts `hello` only if the source is its own frame's window, the shape is exact, and the origin is
 *   that of the embed URL, checked in this order. It sends that window, at that origin, one end of a MessageChannel.
 * 4. The frame accepts the port only from its parent, in exactly this shape, and only from an allowed origin. All
 *   further messages use the port, which no other party holds.
 *
 * When the frame loads again (a reload, a second document), it sends `hello` again and gets a new port. The old one is
 * closed.
 *
 * The 3-D Secure challenge is a separate document on Florin's origin, `/challenge/…`, which frames the issuer's page.
 * It is shown in one of three places:
 * - With the loader, the frame sends `modal.open` and the loader shows the document over the whole page. After the
 *   service reports the outcome, `modal.close` removes the document. If the customer closes the challenge and confirms,
 *   the loader sends `modal.dismissed`, and the frame cancels the challenge at the service.
 * - In a frame without the loader, the document is inside the form.
 * - On Florin's page, the window navigates to the document, which returns the customer to the session's `embed_url`.
 *
 * The outcome comes from the service only. To avoid waiting for the next poll, the document signals a change on the
 * `BroadcastChannel` of `challenge-signal.ts`, without any content.
 *
 * No message has a field that could hold a card number: codes, brands and fields consist of letters, text has at most a
 * few digits, URLs lead only to Florin's challenge, and a session ID has a fixed format. `parse-message.ts` rejects
 * everything else on both sides.
 */

export const protocolVersion = 1;

/**
 * The messages that are posted on the window before the port is connected. The `florin` key distinguishes them from the
 * messages of other libraries.
 */
export type Hello = { readonly florin: typeof protocolVersion; readonly type: "hello" };
export type PortOffer = { readonly florin: typeof protocolVersion; readonly type: "port" };

export const cardFieldNames = ["number", "expiry", "cvc", "name", "postal_code"] as const;
export type CardField = (typeof cardFieldNames)[number];

/**
 * The height of the challenge document. The document has no port, so it posts this message to the loader's window. The
 * loader accepts the message only from the window of its overlay's frame.
 */
export type ChallengeHeight = { readonly challengeHeight: number };

/** The brands for which the form has a logo and the messages have a name. */
export const cardBrands = [
  "visa",
  "mastercard",
  "amex",
  "discover",
  "diners",
  "jcb",
  "unionpay",
] as const;
export type CardBrand = (typeof cardBrands)[number];

export type FrameMessage =
  | { readonly type: "ready" }
  | { readonly type: "resize"; readonly height: number }
  | {
      readonly type: "change";
      readonly complete: boolean;
      readonly brand: CardBrand | null;
      readonly invalid: readonly CardField[];
    }
  | { readonly type: "focus"; readonly field: CardField }
  | { readonly type: "blur"; readonly field: CardField }
  | { readonly type: "submitting" }
  | { readonly type: "requires_action" }
  /** The customer must complete a challenge in the document at `url`, which must be on the frame's origin. */
  | ({ readonly type: "modal.open"; readonly url: string } & ModalWords)
  | { readonly type: "modal.close" }
  /**
   * Sent after the server reports the final status. The message only informs the page. The shop must rely on the
   * webhook or a GET request.
   */
  | { readonly type: "complete"; readonly session_id: string; readonly status: "complete" }
  | {
      readonly type: "failed";
      readonly code: string;
      readonly decline_code: string | null;
      readonly message: string;
      /** True if the customer can correct the card or use another card in the same session. */
      readonly retryable: boolean;
    }
  | { readonly type: "canceled" }
  | { readonly type: "expired" }
  | { readonly type: "error"; readonly code: string; readonly message: string };

/** The texts of the loader's overlay, in the customer's language. */
export type ModalWords = {
  /** The overlay's title: "Confirm with your bank". */
  readonly title: string;
  /** The label of the close button. */
  readonly close: string;
  /** The question before closing, and the labels of its two buttons. */
  readonly question: string;
  readonly stay: string;
  readonly leave: string;
};

export type PageMessage =
  /**
   * The customer pressed the shop's pay button. The effect is the same as if the customer pressed the form's button.
   */
  | { readonly type: "submit" }
  | {
      readonly type: "update";
      readonly pay_button: "shown" | "hidden";
      readonly postal_code: "required" | "hidden";
      /** A BCP 47 tag. Null means the session's locale, or else the browser's language. */
      readonly locale: string | null;
      /** Appearance tokens. `frame/appearance.ts` applies the valid tokens and reports the others. */
      readonly appearance: Readonly<Record<string, string>>;
    }
  /** The field to focus. Null means the next field that the customer should complete. */
  | { readonly type: "focus"; readonly field: CardField | null }
  /** The customer closed the challenge and confirmed the cancellation. */
  | { readonly type: "modal.dismissed" }
  | { readonly type: "destroy" };
