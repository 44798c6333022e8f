import type { FrameMessage } from "../protocol/message.ts";
import { openBridge } from "./handshake.ts";
import type { Callbacks, LiveOptions, Mounted, MountOptions } from "./options.ts";

/** Long enough for a slow phone's connection; after it the page is told what is likely wrong, and we keep listening. */
const answerDeadlineMs = 6000;

/** Near the height of the form, so that the page moves little when the frame tells its own. */
const firstHeight = "480px";

const mounted = new Map<Element, { readonly url: string; readonly instance: Mounted }>();

/**
 * Puts the card form of one checkout session into an element of the merchant's page. Idempotent: the same element and
 * session give the same instance with the newer options, another session takes the place of the first.
 */
export function mount(target: Element | string, options: MountOptions): Mounted {
  const element = typeof target === "string" ? document.querySelector(target) : target;
  if (!element) throw new Error(`Florin.mount: no element matches ${target}.`);
  const address = options.embedUrl ?? options.session?.embed_url;
  if (!address) throw new Error("Florin.mount: pass the session, or its embed_url as embedUrl.");
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol))
    throw new Error("Florin.mount: embed_url is not a web address.");

  const earlier = mounted.get(element);
  if (earlier?.url === url.href) {
    earlier.instance.update(options);
    return earlier.instance;
  }
  earlier?.instance.destroy();
  const instance = open(element, url, options);
  mounted.set(element, { url: url.href, instance });
  return instance;
}

function open(element: Element, url: URL, options: MountOptions): Mounted {
  const live: LiveOptions = { ...options };
  const frame = createFrame(url);

  const tell = (message: Exclude<FrameMessage, { type: "resize" }>): void => {
    const { type, ...detail } = message;
    element.dispatchEvent(new CustomEvent(`florin:${type}`, { detail, bubbles: true }));
    (live[callbackName(type)] as ((detail: object) => void) | undefined)?.(detail);
  };

  const sendOptions = (): void => {
    if (live.payButton) bridge.send({ type: "update", pay_button: live.payButton });
  };

  const deadline = setTimeout(() => tell(silence(url.origin)), answerDeadlineMs);
  const bridge = openBridge(frame, url.origin, {
    connected() {
      clearTimeout(deadline);
      sendOptions();
    },
    received(message) {
      if (message.type === "resize") frame.style.height = `${message.height}px`;
      else tell(message);
    },
  });
  const paint = (): void => {
    frame.style.colorScheme = schemeOf(element);
  };
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", paint);
  paint();
  element.append(frame);

  const instance: Mounted = {
    update(newer) {
      Object.assign(live, newer);
      paint();
      sendOptions();
    },
    submit: () => bridge.send({ type: "submit" }),
    focus: (field) => bridge.send({ type: "focus", field: field ?? null }),
    destroy() {
      clearTimeout(deadline);
      preference.removeEventListener("change", paint);
      bridge.send({ type: "destroy" });
      bridge.close();
      frame.remove();
      if (mounted.get(element)?.instance === instance) mounted.delete(element);
    },
  };
  return instance;
}

function createFrame(url: URL): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.title = "Secure card payment";
  // Our frame learns from the referrer which of several allowed origins it stands in; the page's address stays private.
  frame.referrerPolicy = "origin";
  frame.style.cssText = `display:block;width:100%;height:${firstHeight};border:0;background:transparent`;
  frame.src = url.href;
  return frame;
}

/**
 * The frame has no ground of its own, so it must be light on a light page and dark on a dark one, whatever the customer's
 * system prefers: many pages know only one of the two. Light text means a dark page. The frame's document takes the scheme
 * of its element as the preferred one; where the two differed, the browser would put an opaque ground behind it.
 */
function schemeOf(element: Element): "light" | "dark" {
  return lightnessOf(getComputedStyle(element).color) > 0.5 ? "dark" : "light";
}

/** From 0 to 1, roughly, of a colour as browsers write computed ones: `rgb(…)`, `oklch(…)`, `color(display-p3 …)`. */
function lightnessOf(color: string): number {
  const [, notation = "", numbers = ""] = /^(\w+)\((?:[a-z][\w-]* )?([^)]*)/.exec(color) ?? [];
  const [first = 0, second = 0, third = 0] = numbers.split(/[ ,/]+/).map(Number);
  if (/^ok/.test(notation)) return first;
  if (/^l/.test(notation)) return first / 100;
  return (first * 0.3 + second * 0.59 + third * 0.11) / (notation === "color" ? 1 : 255);
}

/** requires_action → onRequiresAction. */
function callbackName(type: string): keyof Callbacks {
  return `on_${type}`.replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase(),
  ) as keyof Callbacks;
}

function silence(origin: string): FrameMessage & { type: "error" } {
  return {
    type: "error",
    code: "frame_unresponsive",
    message:
      `The card form at ${origin} has not answered. Likely reasons: ` +
      `${location.origin} is not among the session's allowed_origins, the session's address is wrong, ` +
      "or a content security policy or an extension blocks the frame.",
  };
}
