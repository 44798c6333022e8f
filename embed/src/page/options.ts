import type { FrameMessage, PageMessage } from "../protocol/message.ts";

/** The form's messages that the page receives. `resize` and `modal.…` are for the loader only. */
type EventMessage = Exclude<FrameMessage, { type: "resize" | "modal.open" | "modal.close" }>;
type Detail<Type extends EventMessage["type"]> = Omit<
  Extract<EventMessage, { type: Type }>,
  "type"
>;

/** Callbacks of the form. For each callback, the element also dispatches a `florin:…` event with the same content. */
export type Callbacks = {
  /** The form is ready for input. */
  onReady?: () => void;
  onChange?: (change: Detail<"change">) => void;
  onFocus?: (focus: Detail<"focus">) => void;
  onBlur?: (blur: Detail<"blur">) => void;
  onSubmitting?: () => void;
  onRequiresAction?: () => void;
  /**
   * The session is complete. Show a confirmation to the customer. Ship only after the webhook, or after reading the
   * session from your server.
   */
  onComplete?: (completed: Detail<"complete">) => void;
  onFailed?: (failure: Detail<"failed">) => void;
  onCanceled?: () => void;
  onExpired?: () => void;
  /** A problem with the page or the connection. A problem with the card calls `onFailed` instead. */
  onError?: (error: Detail<"error">) => void;
};

/**
 * The form's appearance: a theme and about thirty tokens (docs/guides/card-form.md). Values cannot contain free CSS or
 * URLs.
 */
export type Appearance = Readonly<Record<string, string>>;

/** Options that can change after mounting. Passing undefined for a callback removes it. */
export type LiveOptions = { [Name in keyof Callbacks]: Callbacks[Name] | undefined } & {
  appearance?: Appearance | undefined;
  /** A BCP 47 tag such as `de` or `pt-BR`. Default: the session's locale, or else the browser's language. */
  locale?: string | undefined;
  /** `hidden` if the shop has its own pay button that calls `submit()`. */
  payButton?: "shown" | "hidden" | undefined;
  /**
   * `required` adds a field for the card's postal code. After a decline because of the postal code, the form always
   * shows this field.
   */
  postalCode?: "required" | "hidden" | undefined;
};

export type MountOptions = LiveOptions & {
  /** The response of `POST /api/v1/checkout_sessions`, which your server returns to the page. */
  session?: { embed_url: string } | undefined;
  /** The `embed_url` of the session, as an alternative to `session`. */
  embedUrl?: string | undefined;
};

/** One mounted form. Its methods may be called at any time, even after `destroy`. */
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
