import type { FrameMessage } from "../protocol/message.ts";
import { openBridge } from "./bridge.ts";
import { createEventDispatcher, type EventMessage } from "./dispatch-event.ts";
import { createFallback } from "./fallback.ts";
import type { LiveOptions, Mounted, MountOptions } from "./options.ts";
import { createOverlay } from "./overlay.ts";
import { schemeOf } from "./scheme.ts";
import { addressWith, updateOf } from "./settings.ts";

/** The time from the frame's load to its `hello`, which takes two more requests. Then the likely cause is reported. */
const answerDeadlineMs = 6000;

/** The time limit for the frame's load on a very slow connection. A later `hello` is still accepted. */
const loadDeadlineMs = 30_000;

/** Close to the form's height, so that the page moves little when the frame reports its own. */
const firstHeight = "480px";

const mounted = new WeakMap<Element, { readonly url: string; readonly instance: Mounted }>();

/**
 * Mounts the card form of one checkout session in an element of the merchant's page. Idempotent: the same element and
 * session return the same instance with the new options, and another session replaces the first.
 */
export function mount(target: Element | string, options: MountOptions): Mounted {
  const element = typeof target === "string" ? document.querySelector(target) : target;
  if (!element) throw fault(`no element matches ${target}`);
  const address = options.embedUrl ?? options.session?.embed_url;
  if (!address) throw fault("pass a session or an embed_url");
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol)) throw fault("embed_url is not a web address");

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
  const frame = createFrame(addressWith(url, live));
  const tell = createEventDispatcher(element, live);
  const scheme = () => (live.appearance?.theme === "night" ? "dark" : schemeOf(element));
  const overlay = createOverlay(frame, scheme, {
    dismissed: () => bridge.send({ type: "modal.dismissed" }),
    abandoned: () => instance.destroy(),
  });
  const fallback = createFallback(frame, url.href, () => live.locale);

  /** True until the frame has sent `hello` or was given up. */
  let waiting = true;
  const trouble = (code: string, message: string): void => {
    waiting = false;
    fallback.show();
    tell({ type: "error", code, message });
  };
  const expectAnswer = (ms: number) =>
    setTimeout(() => {
      if (waiting) trouble("frame_unresponsive", silence(url.origin));
    }, ms);
  // A browser's error page in place of a blocked frame fires `load` too.
  frame.onload = () => expectAnswer(answerDeadlineMs);
  expectAnswer(loadDeadlineMs);
  const refused = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective === "frame-src" && blockedURI.startsWith(url.origin))
      trouble("frame_blocked", `The page's CSP must allow frame-src ${url.origin}`);
  };

  const bridge = openBridge(frame, url.origin, {
    connected() {
      waiting = false;
      fallback.hide();
      bridge.send(updateOf(live));
    },
    received: obey,
  });

  function obey(message: FrameMessage): void {
    switch (message.type) {
      case "resize":
        frame.style.height = `${message.height}px`;
        break;
      case "modal.open":
        if (new URL(message.url).origin === url.origin) overlay.open(message.url, message);
        break;
      case "modal.close":
        overlay.close();
        break;
      default:
        tell(message satisfies EventMessage);
    }
  }

  const paint = (): void => {
    frame.style.colorScheme = scheme();
  };
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", paint);
  document.addEventListener("securitypolicyviolation", refused);
  paint();
  element.append(frame);

  const instance: Mounted = {
    update(newer) {
      Object.assign(live, newer);
      paint();
      bridge.send(updateOf(live));
    },
    submit: () => bridge.send({ type: "submit" }),
    focus: (field) => bridge.send({ type: "focus", field: field ?? null }),
    destroy() {
      waiting = false;
      preference.removeEventListener("change", paint);
      document.removeEventListener("securitypolicyviolation", refused);
      overlay.close();
      fallback.hide();
      bridge.send({ type: "destroy" });
      bridge.close();
      frame.remove();
      if (mounted.get(element)?.instance === instance) mounted.delete(element);
    },
  };
  return instance;
}

const fault = (words: string) => new Error(`Florin.mount: ${words}.`);

function createFrame(address: string): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.title = "Secure card payment";
  // The referrer tells the frame which allowed origin embeds it, without the path of the page.
  frame.referrerPolicy = "origin";
  frame.style.cssText = `display:block;width:100%;height:${firstHeight};border:0;background:transparent`;
  frame.src = address;
  return frame;
}

function silence(origin: string): string {
  return `No response from ${origin}. Check allowed_origins for ${location.origin}, the embed_url and Cross-Origin-Embedder-Policy`;
}
