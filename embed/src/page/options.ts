import type { FrameMessage, PageMessage } from "../protocol/message.ts";

/** What the form tells the page, by name. `resize` and `modal.…` are for the loader alone. */
type News = Exclude<FrameMessage, { type: "resize" | "modal.open" | "modal.close" }>;
type Detail<Type extends News["type"]> = Omit<Extract<News, { type: Type }>, "type">;

/** What the loader tells the page: once to its callback, once as a `florin:…` event on the element. */
export type Callbacks = {
  /** The form can be used. */
  onReady?: () => void;
  onChange?: (change: Detail<"change">) => void;
  onFocus?: (focus: Detail<"focus">) => void;
  onBlur?: (blur: Detail<"blur">) => void;
  onSubmitting?: () => void;
  onRequiresAction?: () => void;
  /** The session is complete. Show it to the customer; ship by the webhook, or by reading the session. */
  onComplete?: (completed: Detail<"complete">) => void;
  onFailed?: (failure: Detail<"failed">) => void;
  onCanceled?: () => void;
  onExpired?: () => void;
  /** Something is wrong with the page or the connection, not with the card. */
  onError?: (error: Detail<"error">) => void;
};

/** The form's looks: a theme and about thirty tokens (docs/guides/card-form.md). No CSS, no addresses. */
export type Appearance = Readonly<Record<string, string>>;

/** What may change after mounting. A callback that is passed as undefined is taken away. */
export type LiveOptions = { [Name in keyof Callbacks]: Callbacks[Name] | undefined } & {
  appearance?: Appearance | undefined;
  /** A BCP 47 tag such as `de` or `pt-BR`; else the session's, or the browser's. */
  locale?: string | undefined;
  /** `hidden` when the shop has a pay button of its own that calls `submit()`. */
  payButton?: "shown" | "hidden" | undefined;
  /** `required` makes the form ask for the card's postal code; it always does when the bank has refused one. */
  postalCode?: "required" | "hidden" | undefined;
};

export type MountOptions = LiveOptions & {
  /** The answer to `POST /api/v1/checkout_sessions`, as the merchant's server passed it on. */
  session?: { embed_url: string } | undefined;
  /** Or its `embed_url` alone. */
  embedUrl?: string | undefined;
};

/** One mounted form. Every method may be called at any time, also after `destroy`. */
export type Mounted = {
  update(options: LiveOptions): void;
  submit(): void;
  focus(field?: Extract<PageMessage, { type: "focus" }>["field"]): void;
  destroy(): void;
};

/** What `embed.js` leaves on the page. */
export type Florin = {
  mount(target: Element | string, options: MountOptions): Mounted;
};

type NewsEvents = { [Type in News["type"] as `florin:${Type}`]: CustomEvent<Detail<Type>> };

declare global {
  interface Window {
    Florin?: Florin;
  }
  interface HTMLElementEventMap extends NewsEvents {}
  interface WindowEventMap extends NewsEvents {}
}

export type { News };
