import type { CardBrand, CardField } from "../protocol/message.ts";

/** What the loader tells the page: once to its callback, once as a `florin:…` event on the element. */
export type Callbacks = {
  /** The form can be used. */
  onReady?: () => void;
  onChange?: (change: {
    complete: boolean;
    brand: CardBrand | null;
    invalid: readonly CardField[];
  }) => void;
  onFocus?: (focus: { field: CardField }) => void;
  onBlur?: (blur: { field: CardField }) => void;
  onSubmitting?: () => void;
  onRequiresAction?: () => void;
  /** The session is complete. Show it to the customer; ship by the webhook, or by reading the session. */
  onComplete?: (completed: { session_id: string; status: "complete" }) => void;
  onFailed?: (failure: {
    code: string;
    decline_code: string | null;
    message: string;
    retryable: boolean;
  }) => void;
  onCanceled?: () => void;
  onExpired?: () => void;
  /** Something is wrong with the page or the connection, not with the card. */
  onError?: (error: { code: string; message: string }) => void;
};

/** What may change after mounting. */
export type LiveOptions = Callbacks & {
  /** `hidden` when the shop has a pay button of its own that calls `submit()`. */
  payButton?: "shown" | "hidden";
};

export type MountOptions = LiveOptions & {
  /** The answer to `POST /api/v1/checkout_sessions`, as the merchant's server passed it on. */
  session?: { embed_url: string };
  /** Or its `embed_url` alone. */
  embedUrl?: string;
};

/** One mounted form. Every method may be called at any time, also after `destroy`. */
export type Mounted = {
  update(options: LiveOptions): void;
  submit(): void;
  focus(field?: CardField): void;
  destroy(): void;
};

/** What `embed.js` leaves on the page. */
export type Florin = {
  mount(target: Element | string, options: MountOptions): Mounted;
};

declare global {
  interface Window {
    Florin?: Florin;
  }
}
