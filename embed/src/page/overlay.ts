import type { ModalWords } from "../protocol/message.ts";

/** The bank's check, laid over the merchant's whole page. The document in it is ours and frames the bank's. */
export type Overlay = {
  open(url: string, words: ModalWords): void;
  close(): void;
};

/**
 * In a shadow of its own, so that neither side's styles touch the other's; as a sheet, which no CSP of the page refuses.
 * What is inherited comes in all the same: libraries take `pointer-events` from the body while a dialog of theirs is open.
 */
const style = `dialog{pointer-events:auto;display:flex;flex-direction:column;width:40rem;height:46rem;max-width:100%;max-height:100%;padding:0;border:0;overflow:hidden;font:1rem/1.4 system-ui}
::backdrop{background:#0009}
header{display:flex;flex-wrap:wrap;align-items:center;gap:8px;padding:8px 16px}
b{flex:1;min-width:12rem}
button{min-width:44px;min-height:44px;padding:4px 12px;border:1px solid;border-radius:8px;background:none;font:inherit}
iframe{flex:1;border:0}`;

/** By these a dialog of the shop's learns that the customer went outside it, or pressed Escape. */
const guarded = "pointerdown mousedown touchstart touchend click focusin keydown".split(" ");

/** Nothing tells a script that its element left the page, least of all inside a shop's own shadow. */
const lookEveryMs = 500;

export type OverlayEvents = {
  /** The customer closed it, and meant it. */
  dismissed(): void;
  /** The form that asked for it was taken from the page, and nobody said so. */
  abandoned(): void;
};

/** Above whatever the page has; a native modal dialog keeps the focus in it and the page behind it still. */
export function createOverlay(
  frame: Element,
  scheme: () => string,
  { dismissed, abandoned }: OverlayEvents,
): Overlay {
  /** Takes it away; null while there is none. */
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
    const stay = button(words.stay, () => ask(false));
    const cross = button("×", () => ask(true));
    cross.ariaLabel = words.close;
    const head = element("header", element("b", words.title), cross);
    const question = element("header", element("b", words.question), stay, stop);
    const check = element("iframe");
    check.title = words.title;
    check.referrerPolicy = "origin";
    check.src = url;
    const dialog = element("dialog", head, check);
    dialog.ariaLabel = words.title;
    dialog.style.colorScheme = scheme();
    root.append(dialog);

    function ask(asking: boolean): void {
      dialog.firstChild?.replaceWith(asking ? question : head);
      (asking ? stay : cross).focus();
    }
    dialog.oncancel = (event) => {
      event.preventDefault();
      ask(true);
    };
    // A second Escape closes it whatever we say: it comes back with the question.
    dialog.onclose = () => {
      if (!host.isConnected) return;
      dialog.showModal();
      ask(true);
    };

    const release = keepInside(host);
    const watch = setInterval(() => {
      if (!frame.isConnected) abandoned();
    }, lookEveryMs);

    const behind = document.documentElement.style;
    const { overflow } = behind;
    behind.overflow = "hidden";
    // Not into the body: a dialog of the shop's may see to it that all that comes there is dead while it is open.
    document.documentElement.append(host);
    dialog.showModal();
    end = () => {
      end = null;
      release();
      clearInterval(watch);
      // Closed before it is gone: that is what gives the focus back to where it was.
      dialog.close();
      host.remove();
      behind.overflow = overflow;
    };
  }

  const close = () => end?.();
  return { open, close };
}

/**
 * What happens in the overlay is for the overlay alone: to a dialog of the shop's, in which the form may stand, it is
 * outside, and that dialog would close or take the focus back. Some listen in the document's capture, and only the window
 * is earlier. Our buttons then hear nothing either, and are told of the click here. Returns how to stop.
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
