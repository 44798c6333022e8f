import type { FrameMessage, PageMessage } from "../protocol/message.ts";
import { createBridge } from "./bridge.ts";
import { createFallback } from "./fallback-link.ts";
import type { Callbacks, EventMessage, LiveOptions, Mounted, MountOptions } from "./options.ts";
import { createOverlay } from "./overlay.ts";

/**
 * The time limit from the frame's `load` event to its `hello` message. In between, the frame sends two requests. After
 * the time limit, the loader reports the likely cause.
 */
const helloDeadlineMs = 6000;

/**
 * The time limit for the frame's `load` event, long enough for a very slow connection. A later `hello` is still
 * accepted.
 */
const loadDeadlineMs = 30_000;

/**
 * The initial height, close to the form's height, so that the page shifts little when the frame reports its actual
 * height.
 */
const firstHeight = "480px";

type MountedForm = {
  readonly url: string;
  readonly frame: Element;
  readonly instance: Mounted;
};

/** The form that was last mounted in each element. The form may have been destroyed since. */
const mounted = new WeakMap<Element, MountedForm>();

/**
 * Mounts the card form of one checkout session in an element of the merchant's page. A second call with the same
 * element and session updates the options and returns the same instance. A call with another session replaces the form.
 */
export function mount(target: Element | string, options: MountOptions): Mounted {
  const element = typeof target === "string" ? document.querySelector(target) : target;
  if (!element) throw mountError(`no element matches ${target}`);
  const address = options.embedUrl ?? options.session?.embed_url;
  if (!address) throw mountError("pass a session or embed_url");
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol)) throw mountError("embed_url must be an http or https URL");

  const earlier = mounted.get(element);
  // After `destroy`, or if the page has emptied the element, the frame is gone and the form is mounted again.
  if (earlier?.url === url.href && element.contains(earlier.frame)) {
    earlier.instance.update(options);
    return earlier.instance;
  }
  earlier?.instance.destroy();
  return open(element, url, options);
}

function open(element: Element, url: URL, options: MountOptions): Mounted {
  const live: LiveOptions = { ...options };
  const frame = createFrame(frameUrl(url, live));
  const dispatch = createEventDispatcher(element, live);
  const scheme = () => (live.appearance?.theme === "night" ? "dark" : schemeOf(element));
  const overlay = createOverlay(frame, scheme, {
    dismissed: () => bridge.send({ type: "modal.dismissed" }),
    abandoned: () => instance.destroy(),
  });
  const fallback = createFallback(frame, url.href, () => live.locale);

  /** True until the frame has sent `hello` or one of the time limits has passed. */
  let waiting = true;
  const reportError = (code: string, message: string): void => {
    waiting = false;
    fallback.show();
    dispatch({ type: "error", code, message });
  };
  const startDeadline = (ms: number) =>
    setTimeout(() => {
      // Reports no error for a frame that the page has removed.
      if (waiting && frame.isConnected)
        reportError(
          "frame_unresponsive",
          `No response from ${url.origin}. Check allowed_origins for ${location.origin}, embed_url and Cross-Origin-Embedder-Policy`,
        );
    }, ms);
  // Starts the time limit at `load`, which the browser also fires for an error page in place of a blocked frame.
  frame.onload = () => startDeadline(helloDeadlineMs);
  startDeadline(loadDeadlineMs);
  const handleViolation = (violation: SecurityPolicyViolationEvent): void => {
    // With the disposition "report", the browser reports the violation and loads the frame.
    if (
      violation.disposition === "enforce" &&
      violation.effectiveDirective === "frame-src" &&
      // The blocked URI is the URL of the frame or, in some browsers, only its origin.
      violation.blockedURI.split("/", 3).join("/") === url.origin
    )
      reportError("frame_blocked", `The CSP must allow frame-src ${url.origin}`);
  };

  const bridge = createBridge(frame, url.origin, {
    connected() {
      waiting = false;
      fallback.hide();
      bridge.send(updateOf(live));
    },
    received: handleMessage,
  });

  function handleMessage(message: FrameMessage): void {
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
        dispatch(message satisfies EventMessage);
    }
  }

  const paint = (): void => {
    frame.style.colorScheme = scheme();
  };
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", paint);
  document.addEventListener("securitypolicyviolation", handleViolation);
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
      preference.removeEventListener("change", paint);
      document.removeEventListener("securitypolicyviolation", handleViolation);
      overlay.close();
      fallback.hide();
      bridge.send({ type: "destroy" });
      bridge.close();
      frame.remove();
    },
  };
  mounted.set(element, { url: url.href, frame, instance });
  return instance;
}

const mountError = (words: string) => new Error(`Florin.mount: ${words}.`);

function createFrame(address: string): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.title = "Secure card payment";
  // The referrer contains the origin of the page that embeds the frame, without its path.
  frame.referrerPolicy = "origin";
  // Lets the form open the sheets of wallets. The form's own policy revokes the permission if the session offers no
  // wallet, because only the service knows what the session offers, and `allow` has no effect after the frame has
  // loaded.
  frame.allow = "payment";
  // The frame is 4 pixels larger on every side, which is the space for the focus ring in frame/styles/page.css. The
  // fields are therefore aligned with the page's own content.
  frame.style.cssText = `display:block;width:calc(100% + 8px);height:${firstHeight};margin:-4px;border:0;background:transparent`;
  frame.src = address;
  return frame;
}

/** Dispatches an event on the element and calls the matching callback. */
function createEventDispatcher(
  element: Element,
  live: LiveOptions,
): (message: EventMessage) => void {
  return ({ type, ...detail }) => {
    // The event is composed, so that it also leaves a shadow root of the shop.
    const event = new CustomEvent(`florin:${type}`, { detail, bubbles: true, composed: true });
    element.dispatchEvent(event);
    (live[callbackName(type)] as ((detail: object) => void) | undefined)?.(detail);
  };
}

/** Returns the callback name of an event: requires_action → onRequiresAction. */
function callbackName(type: string): keyof Callbacks {
  return `on_${type}`.replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase(),
  ) as keyof Callbacks;
}

/**
 * Returns the color scheme of the page. Derives it from the text color: light text means a dark page. The system
 * setting is irrelevant, because many pages have only one scheme. The frame is transparent and must use the same scheme
 * as its element. If the schemes differ, the browser paints an opaque background.
 */
function schemeOf(element: Element): "light" | "dark" {
  return lightnessOf(getComputedStyle(element).color) > 0.5 ? "dark" : "light";
}

/**
 * Returns the approximate lightness, from 0 to 1, of a computed color such as `rgb(…)`, `oklch(…)` or `color(display-p3
 * …)`.
 */
function lightnessOf(color: string): number {
  const numbers = color.match(/(?<=[ (])[-\d.e]+/g) ?? [];
  const [first = 0, second = 0, third = 0] = numbers.map(Number);
  if (/^ok/.test(color)) return first;
  if (/^l/.test(color)) return first / 100;
  return (first * 0.3 + second * 0.59 + third * 0.11) / (/^c/.test(color) ? 1 : 255);
}

/** Returns the options as a message of the bridge. */
function updateOf(live: LiveOptions): PageMessage & { type: "update" } {
  return {
    type: "update",
    pay_button: live.payButton ?? "shown",
    postal_code: live.postalCode ?? "hidden",
    locale: localeOf(live),
    appearance: live.appearance ?? {},
  };
}

/**
 * Returns the frame's URL with the options, so that the first paint has the right appearance and language. The language
 * is in the query, because the server sets it on the document. The other options follow the session's secret in the
 * fragment.
 */
function frameUrl(url: URL, live: LiveOptions): string {
  const { type: _, locale, appearance, ...rest } = updateOf(live);
  const address = new URL(url);
  if (locale) address.searchParams.set("locale", locale);
  return `${address.href}&${new URLSearchParams({ ...rest, ...appearance })}`;
}

function localeOf({ locale }: LiveOptions): string | null {
  return locale && /^[a-z]{2,3}(-[a-z\d]{2,8}){0,3}$/i.test(locale) ? locale : null;
}
