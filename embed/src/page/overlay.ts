import type { ModalWords } from "../protocol/message.ts";

/** The bank's check, laid over the merchant's whole page. The document in it is ours and frames the bank's. */
export type Overlay = {
  open(url: string, words: ModalWords): void;
  close(): void;
};

/** In a shadow of its own, so that neither side's styles touch the other's; as a sheet, which no CSP of the page refuses. */
const style = `dialog{max-width:none;max-height:none;width:min(100%,40rem);height:min(100%,46rem);padding:0;border:0;overflow:hidden;font:1rem/1.4 system-ui}
dialog[open]{display:flex;flex-direction:column}
dialog::backdrop{background:rgb(0 0 0/60%)}
header{display:flex;flex-wrap:wrap;align-items:center;gap:8px;padding:8px 16px}
b{flex:1;min-width:12rem}
button{min-width:44px;min-height:44px;padding:4px 12px;border:1px solid;border-radius:8px;background:none;color:inherit;font:inherit}
iframe{flex:1;border:0}`;

/** Above whatever the page has; a native modal dialog keeps the focus in it and the page behind it still. */
export function createOverlay(scheme: () => string, dismissed: () => void): Overlay {
  let host: HTMLElement | null = null;
  let pageOverflow = "";

  function open(url: string, words: ModalWords): void {
    if (host) return;
    host = document.createElement("florin-overlay");
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
    const frame = element("iframe");
    frame.title = words.title;
    frame.referrerPolicy = "origin";
    frame.src = url;
    const dialog = element("dialog", head, frame);
    dialog.ariaLabel = words.title;
    dialog.style.colorScheme = scheme();
    root.append(dialog);

    function ask(asking: boolean): void {
      (asking ? head : question).replaceWith(asking ? question : head);
      (asking ? stay : cross).focus();
    }
    dialog.oncancel = (event) => {
      event.preventDefault();
      ask(true);
    };
    // A second Escape closes it whatever we say: it comes back with the question.
    dialog.onclose = () => {
      if (!host) return;
      dialog.showModal();
      ask(true);
    };
    document.body.append(host);
    pageOverflow = document.documentElement.style.overflow;
    document.documentElement.style.overflow = "hidden";
    dialog.showModal();
  }

  function close(): void {
    if (!host) return;
    const leaving = host;
    host = null;
    // Closed before it is gone: that is what gives the focus back to where it was.
    leaving.shadowRoot?.querySelector("dialog")?.close();
    leaving.remove();
    document.documentElement.style.overflow = pageOverflow;
  }

  return { open, close };
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
