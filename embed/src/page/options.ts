import type { FrameMessage, PageMessage } from "../protocol/message.ts";

/** The form's messages for the page, by name. `resize` and `modal.…` are for the loader alone. */
type EventMessage = Exclude<FrameMessage, { type: "resize" | "modal.open" | "modal.close" }>;
type Detail<Type extends EventMessage["type"]> = Omit<
  Extract<EventMessage, { type: Type }>,
  "type"
>;

/** Callbacks of the loader. Each call has a `florin:…` event on the element with the same content. */
export type Callbacks = {
  /** The form can be used. */
  onReady?: () => void;
  onChange?: (change: Detail<"change">) => void;
  onFocus?: (focus: Detail<"focus">) => void;
  onBlur?: (blur: Detail<"blur">) => void;
  onSubmitting?: () => void;
  onRequiresAction?: () => void;
  /** The session is complete. Show it to the customer. Ship on the webhook or after reading the session. */
  onComplete?: (completed: Detail<"complete">) => void;
  onFailed?: (failure: Detail<"failed">) => void;
  onCanceled?: () => void;
  onExpired?: () => void;
  /** A problem of the page or the connection, not of the card. */
  onError?: (error: Detail<"error">) => void;
};

/** The form's appearance: a theme and about thirty tokens (docs/guides/card-form.md). No CSS and no URLs. */
export type Appearance = Readonly<Record<string, string>>;

/** Options that may change after mounting. A callback passed as undefined is removed. */
export type LiveOptions = { [Name in keyof Callbacks]: Callbacks[Name] | undefined } & {
  appearance?: Appearance | undefined;
  /** A BCP 47 tag such as `de` or `pt-BR`. Default: the session's locale, or else the browser's. */
  locale?: string | undefined;
  /** `hidden` if the shop has its own pay button that calls `submit()`. */
  payButton?: "shown" | "hidden" | undefined;
  /** `required` makes the form ask for the card's postal code. After a decline for the postal code it always does. */
  postalCode?: "required" | "hidden" | undefined;
};

export type MountOptions = LiveOptions & {
  /** The response of `POST /api/v1/checkout_sessions`, forwarded by the merchant's server. */
  session?: { embed_url: string } | undefined;
  /** Its `embed_url` alone, as an alternative. */
  embedUrl?: string | undefined;
};

/** One mounted form. Every method may be called at any time, also after `destroy`. */
export type Mounted = {
  update(options: LiveOptions): void;
  submit(): void;
  focus(field?: Extract<PageMessage, { type: "focus" }>["field"]): void;
  destroy(): void;
};

/** The global object that `embed.js` defines. */
export type Florin = {
  mount(target: Element | string, options: MountOptions): Mounted;
};

type FlorinEvents = {
  [Type in EventMessage["type"] as `florin:${Type}`]: CustomEvent<Detail<Type>>;
};

declare global {
  interface Window {
    Florin?: Florin;
  }
  interface HTMLElementEventMap extends FlorinEvents {}
  interface WindowEventMap extends FlorinEvents {}
}

export type { EventMessage };
