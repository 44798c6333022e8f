import type { ModalWords } from "../protocol/message.ts";

/**
 * Shows the challenge over the whole page of the merchant. The challenge is a document on Florin's origin that frames
 * the issuer's page.
 */
export type Overlay = {
  open(url: string, words: ModalWords): void;
  close(): void;
};

/**
 * The styles are in a shadow root, so that the shop's rules do not affect the overlay and the overlay's rules do not
 * affect the shop's page. They are in a constructed stylesheet, which the page's CSP does not block. Inherited
 * properties still apply, so `pointer-events` is reset: some libraries set it on the body while their dialog is open.
 */
const style = `dialog{pointer-events:auto;display:flex;flex-direction:column;width:31.25rem;max-width:100%;max-height:100%;padding:0;border:0;border-radius:14px;overflow:hidden;font:1rem/1.4 system-ui}
::backdrop{background:#0009}
header{display:flex;flex-wrap:wrap;align-items:center;gap:8px;padding:12px 20px;border-bottom:1px solid #888a}
b{flex:1;min-width:12rem;outline:0}
b:not([role]){min-width:100%}
button{min-width:44px;min-height:44px;padding:4px 16px;border:1px solid #888a;border-radius:10px;background:none;font:inherit;cursor:pointer}
button:only-of-type{margin:-8px 0;border:0;font-size:1.5rem}
iframe{height:37.5rem;min-height:0;border:0}
[inert]{opacity:.25}
@media (width<32rem){dialog{margin-bottom:0;border-radius:14px 14px 0 0}}`;

/**
 * The events that `keepInside` hides from the shop's listeners. A dialog of the shop uses them to detect the Escape
 * key, a click outside, or focus outside.
 */
const guarded = "pointerdown mousedown touchstart touchend click focusin keydown".split(" ");

/**
 * The interval for checking whether the element was removed from the page, because no event reports a removal inside
 * the shop's shadow root.
 */
const pollIntervalMs = 500;

export type OverlayEvents = {
  /** Called when the customer has closed the challenge and confirmed the cancellation. */
  dismissed(): void;
  /** Called when the form was removed from the page without `destroy`. */
  abandoned(): void;
};

/**
 * Creates the overlay as a native modal dialog, which is above all other content, traps the focus and makes the page
 * inert.
 */
export function createOverlay(
  frame: Element,
  scheme: () => string,
  { dismissed, abandoned }: OverlayEvents,
): Overlay {
  /** Removes the overlay. Null if it is not open. */
  let end: (() => void) | null = null;

  function open(url: string, words: ModalWords): void {
    if (end) return;
    const host = document.createElement("florin-overlay");
    const root = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];

    const stop = button(words.leave, () => {
      close();
      dismissed();
    });
    const stay = button(words.stay, () => showConfirmation(false));
    const closeButton = button("×", () => showConfirmation(true));
    closeButton.ariaLabel = words.close;
    const title = element("b", words.title);
    title.role = "heading";
    title.tabIndex = -1;
    const head = element("header", title, closeButton);
    const question = element("header", element("b", words.question), stay, stop);
    const check = element("iframe");
    check.title = words.title;
    check.referrerPolicy = "origin";
    check.src = url;
    const dialog = element("dialog", head, check);
    dialog.ariaLabel = words.title;
    dialog.style.colorScheme = scheme();
    root.append(dialog);

    // While the question is visible, the issuer's page is dimmed and inert, so that only the question can be answered.
    function showConfirmation(visible: boolean): void {
      check.inert = visible;
      dialog.firstChild?.replaceWith(visible ? question : head);
      (visible ? stay : closeButton).focus();
    }
    dialog.oncancel = (event) => {
      event.preventDefault();
      showConfirmation(true);
    };
    // Browsers close the dialog on a second Escape despite `preventDefault`. Open it again with the confirmation.
    dialog.onclose = () => {
      if (!host.isConnected) return;
      dialog.showModal();
      showConfirmation(true);
    };

    /**
     * Gives the sheet the height of the challenge document. An invalid height has no effect, and the window's height is
     * the upper limit.
     */
    const resize = ({ source, data }: MessageEvent): void => {
      if (source === check.contentWindow) check.style.height = `${data?.challengeHeight}px`;
    };
    addEventListener("message", resize);
    const release = keepInside(host);
    const watch = setInterval(() => {
      if (!frame.isConnected) abandoned();
    }, pollIntervalMs);

    const behind = document.documentElement.style;
    const { overflow } = behind;
    behind.overflow = "hidden";
    // Appends the overlay to the document element and not to the body, because a dialog of the shop may make new
    // children of the body inert.
    document.documentElement.append(host);
    dialog.showModal();
    // Moves the focus to the title, where a screen reader then starts. Otherwise the close button would have the focus.
    title.focus();
    end = () => {
      end = null;
      removeEventListener("message", resize);
      release();
      clearInterval(watch);
      // Close the dialog before removing it, so that the browser returns the focus to the previous element.
      dialog.close();
      host.remove();
      behind.overflow = overflow;
    };
  }

  const close = () => end?.();
  return { open, close };
}

/**
 * Prevents the shop's listeners from receiving the events of the overlay. A dialog of the shop that contains the form
 * would treat them as events outside the dialog, and would close or take the focus. The listeners are added to the
 * window, because some dialogs listen in the document's capture phase. A stopped click does not reach the overlay's
 * buttons, so the listeners call the buttons' handlers. Returns a function that removes the listeners.
 */
function keepInside(host: Element): () => void {
  const keep = (event: Event): void => {
    if (event.target !== host && (event as KeyboardEvent).key !== "Escape") return;
    event.stopPropagation();
    const [pressed] = event.composedPath();
    if (event.type === "click") (pressed as HTMLElement).onclick?.(event as PointerEvent);
  };
  for (const type of guarded) addEventListener(type, keep, true);
  return () => {
    for (const type of guarded) removeEventListener(type, keep, true);
  };
}

function button(label: string, press: () => void): HTMLButtonElement {
  const made = element("button", label);
  made.onclick = press;
  return made;
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.append(...content);
  return made;
}
