/** A frame in which the bank works: its hidden page, or its challenge. */
export type BankFrame = {
  readonly element: HTMLIFrameElement;
  /** Posts a form into it. */
  post(action: string, fields: Readonly<Record<string, string>>): void;
  remove(): void;
};

let frames = 0;

/**
 * The bank may run scripts, post forms and open its help, but never take the window away. Where it shares our origin (the
 * test bank of a public installation) it is given none, or the sandbox would hold nothing.
 */
export function openBankFrame(
  place: Element,
  { title, action, returned }: { title: string; action: string; returned: () => void },
): BankFrame {
  const element = document.createElement("iframe");
  const rights = ["allow-forms", "allow-scripts", "allow-popups"];
  if (new URL(action).origin !== location.origin) rights.push("allow-same-origin");
  element.setAttribute("sandbox", rights.join(" "));
  element.name = `florin-bank-${++frames}`;
  element.title = title;
  element.referrerPolicy = "no-referrer";

  /** Its page is ours again: a word to look, which decides nothing, so that the window it comes from is proof enough. */
  const hear = ({ source, data }: MessageEvent): void => {
    if (source === element.contentWindow && data?.type === "returned") returned();
  };
  addEventListener("message", hear);
  place.replaceChildren(element);

  return {
    element,
    post(address, fields) {
      const form = document.createElement("form");
      form.method = "post";
      form.action = address;
      form.target = element.name;
      form.hidden = true;
      for (const [name, value] of Object.entries(fields)) {
        const input = document.createElement("input");
        input.type = "hidden";
        input.name = name;
        input.value = value;
        form.append(input);
      }
      document.body.append(form);
      form.submit();
      form.remove();
    },
    remove() {
      removeEventListener("message", hear);
      element.remove();
    },
  };
}
