/** A frame for the issuer's pages: the hidden 3DS method page or the challenge. */
export type IssuerFrame = {
  readonly element: HTMLIFrameElement;
  open(url: string): void;
  /** Submits a form into the frame with POST. */
  post(action: string, fields: Readonly<Record<string, string>>): void;
  remove(): void;
};

let frames = 0;

/**
 * Creates a sandboxed frame in which the issuer's page can run scripts, submit forms and open pop-ups, but not navigate
 * the top window. In a public installation, the test issuer's page is on Florin's own origin. Such a page gets an
 * opaque origin, because a same-origin page could remove the sandbox.
 */
export function createIssuerFrame(
  container: Element,
  { title, action, returned }: { title: string; action: string; returned: () => void },
): IssuerFrame {
  const element = document.createElement("iframe");
  const rights = ["allow-forms", "allow-scripts", "allow-popups"];
  if (new URL(action).origin !== location.origin) rights.push("allow-same-origin");
  element.setAttribute("sandbox", rights.join(" "));
  element.name = `florin-bank-${++frames}`;
  element.title = title;
  element.referrerPolicy = "no-referrer";

  /**
   * Handles the message that Florin's page sends after the issuer has redirected the frame back to it. Checking the
   * source window is sufficient, because the message only triggers a status read.
   */
  const onMessage = ({ source, data }: MessageEvent): void => {
    if (source === element.contentWindow && data?.type === "returned") returned();
  };
  addEventListener("message", onMessage);
  container.replaceChildren(element);

  return {
    element,
    open(url) {
      element.src = url;
    },
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
      removeEventListener("message", onMessage);
      element.remove();
    },
  };
}
