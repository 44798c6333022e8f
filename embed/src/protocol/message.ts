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
 * The bank's check (3-D Secure) is a document of its own on our origin, `/challenge/…`, which frames the bank's page. Where
 * it stands depends on who is there:
 *   - with the loader, the frame says `modal.open` and the loader lays that document over the whole page. `modal.close`
 *     takes it away, once the service says that the check is over. When the customer closes it, and means it, the loader
 *     says `modal.dismissed`, and the frame tells the service that the check was canceled;
 *   - in a frame without the loader it stands inside the form;
 *   - on our own page the window goes to it, and it brings the customer back to the session's `embed_url`.
 * How the check went is learnt from the service alone. So that nobody waits for the next look, the document may say on the
 * `BroadcastChannel` of `challenge-news.ts` that there is something to look for; that is all it can say.
 *
 * No message has a field that could hold a card number: codes, brands and fields are words of letters, text carries at most
 * a few digits, addresses lead to our own challenge and nowhere else, and a session id has a fixed form.
 * `parse-message.ts` refuses everything else, on both sides.
 */

export const protocolVersion = 1;

/** Posted on the window before there is a port; both carry the protocol's name so that other libraries' messages differ. */
export type Hello = { readonly florin: typeof protocolVersion; readonly type: "hello" };
export type PortOffer = { readonly florin: typeof protocolVersion; readonly type: "port" };

export const cardFieldNames = ["number", "expiry", "cvc", "name", "postal_code"] as const;
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
  /** The customer must see the bank: our document at `url`, which must lie on the frame's own origin. */
  | ({ readonly type: "modal.open"; readonly url: string } & ModalWords)
  | { readonly type: "modal.close" }
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

/** What the loader writes around the bank's check, in the customer's language. */
export type ModalWords = {
  /** The overlay's name: "Confirm with your bank". */
  readonly title: string;
  /** On the button that closes it. */
  readonly close: string;
  /** Asked before it is closed, and the two answers. */
  readonly question: string;
  readonly stay: string;
  readonly leave: string;
};

export type PageMessage =
  /** The customer pressed the shop's own button: the same as pressing ours. */
  | { readonly type: "submit" }
  | {
      readonly type: "update";
      readonly pay_button: "shown" | "hidden";
      readonly postal_code: "required" | "hidden";
      /** A BCP 47 tag; null: the session's, or the browser's. */
      readonly locale: string | null;
      /** Names and values of `frame/appearance.ts`, which takes what it knows and reports the rest. */
      readonly appearance: Readonly<Record<string, string>>;
    }
  /** null: wherever the customer should go on. */
  | { readonly type: "focus"; readonly field: CardField | null }
  /** The customer closed the bank's check, and said that they meant it. */
  | { readonly type: "modal.dismissed" }
  | { readonly type: "destroy" };
