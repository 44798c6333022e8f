/**
 * The bridge between the merchant's page and the card frame, explained once.
 *
 * 1. The page's loader puts the frame into the page and listens for messages on its own window.
 * 2. The frame learns the session's allowed origins from the service and posts `hello` to its parent once per allowed
 *    origin, each with that origin as the target. The browser delivers only the one that is true, so a page that is not
 *    allowed hears nothing, not even that there is a session. `*` is never used.
 * 3. The loader accepts `hello` only when the source is its own frame's window, the shape is exactly right, and the origin
 *    is that of the embed address, in this order. It answers that window, at that origin, with one end of a MessageChannel.
 * 4. The frame accepts the port only from its parent, in exactly this shape, and only from an allowed origin. From here on
 *    everything goes over the port, which nobody else holds.
 *
 * When the frame loads anew (a reload, a second document) it says `hello` again, gets a new port, and the old one is closed.
 *
 * No message has a field that could hold a card number: codes are letters, lists are of known words, text carries at most
 * a few digits, and a session id has a fixed form. `parse-message.ts` refuses everything else, on both sides.
 */

export const protocolVersion = 1;

/** Posted on the window before there is a port; both carry the protocol's name so that other libraries' messages differ. */
export type Hello = { readonly florin: typeof protocolVersion; readonly type: "hello" };
export type PortOffer = { readonly florin: typeof protocolVersion; readonly type: "port" };

export const cardFieldNames = ["number", "expiry", "cvc", "name"] as const;
export type CardField = (typeof cardFieldNames)[number];

/** The brands that the frame draws and tells the page of. */
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
  /** After the server's terminal state. News for the page, not proof for the shop: that is the webhook, or a GET. */
  | { readonly type: "complete"; readonly session_id: string; readonly status: "complete" }
  | {
      readonly type: "failed";
      readonly code: string;
      readonly decline_code: string | null;
      readonly message: string;
      /** True when the customer may correct the card, or take another, in the same session. */
      readonly retryable: boolean;
    }
  | { readonly type: "canceled" }
  | { readonly type: "expired" }
  | { readonly type: "error"; readonly code: string; readonly message: string };

export type PageMessage =
  /** The customer pressed the shop's own button: the same as pressing ours. */
  | { readonly type: "submit" }
  | { readonly type: "update"; readonly pay_button: "shown" | "hidden" }
  /** null: wherever the customer should go on. */
  | { readonly type: "focus"; readonly field: CardField | null }
  | { readonly type: "destroy" };
