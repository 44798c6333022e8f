import { type ComponentChild, render } from "preact";
import { onChallengeChange } from "../protocol/challenge-signal.ts";
import type { PageMessage } from "../protocol/message.ts";
import { createFrameApi } from "./api.ts";
import { App } from "./app.tsx";
import {
  type Appearance,
  propertyOf,
  readAppearance,
  rejectedMessage,
  type TokenName,
  tokens,
} from "./appearance.ts";
import { canSubmitForms } from "./can-submit-forms.ts";
import type { ChallengePlace } from "./challenge.tsx";
import { createCheckout } from "./checkout.ts";
import { isLight } from "./light-color.ts";
import { chooseLocale, directionOf, type Language } from "./locales/choose-locale.ts";
import { loadWords } from "./locales/load-words.ts";
import type { Words } from "./locales/words.ts";
import { NoConnection } from "./no-connection.tsx";
import { createPageBridge } from "./page-bridge.ts";
import { reconnectDelayMs } from "./polling.ts";
import { readFragment, type Settings, settingsOf } from "./settings.ts";
import type { Surface } from "./surface.ts";

/** Starts the frame with the session ID and secret from the URL. All state is kept in memory only. */
const page = document.documentElement;
const surface: Surface = window.parent === window ? "page" : "frame";
const sessionId = location.pathname.split("/").at(-1) ?? "";
const { secret, settings: first } = readFragment(location.hash);
const root = document.getElementById("florin") as HTMLElement;

/** The time to wait for a loader. If there is none, the challenge is shown inside the frame. */
const loaderTimeoutMs = 1500;

let settings = first;
let place: ChallengePlace = surface === "page" ? "window" : null;
/** The server chose this language from the session and the Accept-Language header, and set it on the document. */
const servedTag = page.lang;
let tag = servedTag;
let words: Words;

const pageBridge = createPageBridge(window.parent, {
  received: handleMessage,
  connected() {
    place = "overlay";
    draw();
    if (!canSubmitForms()) {
      pageBridge.notifyPage({
        type: "error",
        code: "forms_blocked",
        message:
          "Add allow-forms to the sandbox attribute of your page's frame. Without it, 3-D Secure challenges stay empty.",
      });
    }
  },
});
const checkout = createCheckout({
  api: createFrameApi(sessionId, secret),
  newKey,
  report: (bug) => reportError(bug),
  async wait(ms) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    // A retry without a connection would fail and use up an attempt. The next retry therefore waits until the
    // connection has returned.
    await whenOnline();
  },
  now: () => Date.now(),
  later(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  words: () => words,
  notifyPage: pageBridge.notifyPage,
});

page.dataset.surface = surface;
void start();

async function start(): Promise<void> {
  applyAppearance(page, readAppearance(settings.appearance));
  checkout.setRequiredFields({ postalCode: settings.postal_code === "required" });
  // Loads the texts before the first refresh, which may send messages that contain them.
  words = await firstWords(chooseLocale([servedTag]).language);
  refreshWhenNeeded();
  await checkout.refresh();
  draw();
  new ResizeObserver(postHeight).observe(root);
  whenLoaded(pageBridge.greet);
  setTimeout(() => {
    place ??= "inline";
    draw();
  }, loaderTimeoutMs);
}

/** Loads the dictionary and retries until it succeeds, because the form cannot be shown without it. */
async function firstWords(language: Language): Promise<Words> {
  for (;;) {
    const loaded = await loadWords(language);
    if (loaded) return loaded;
    // Offers a reload, because a newer release may have removed this dictionary file. The reloaded page refers to the
    // current file.
    show(<NoConnection language={language} retry={() => location.reload()} />);
    await new Promise((resolve) => {
      setTimeout(resolve, reconnectDelayMs);
      addEventListener("online", resolve, { once: true });
    });
  }
}

function refreshWhenNeeded(): void {
  document.addEventListener("visibilitychange", () => {
    // Reads the session again, because it may have been paid in another tab in the meantime.
    if (!document.hidden) void checkout.refresh();
  });
  addEventListener("pageshow", ({ persisted }) => {
    // Refreshes a page that was restored from the back/forward cache, for example after the issuer's page.
    if (persisted) void checkout.refresh();
  });
  addEventListener("online", () => {
    checkout.setOffline(false);
    void checkout.refresh();
  });
  addEventListener("offline", () => checkout.setOffline(true));
  checkout.setOffline(!navigator.onLine);
  onChallengeChange(() => void checkout.refresh());
}

function whenOnline(): Promise<void> {
  if (navigator.onLine) return Promise.resolve();
  return new Promise((resolve) => addEventListener("online", () => resolve(), { once: true }));
}

/**
 * Sends the form's height. Both the observer and every render call this function. Browsers skip the layout of a frame
 * that is scrolled out of view, so the observer alone would report a change only after the customer scrolls back, and
 * the shop's page would jump.
 */
function postHeight(): void {
  pageBridge.notifyPage({ type: "resize", height: Math.ceil(root.getBoundingClientRect().height) });
}

/** Runs the callback once the session is loaded, because the session contains the allowed origins. */
function whenLoaded(run: (allowedOrigins: readonly string[]) => void): void {
  let readySent = false;
  const postComplete = (): void => {
    const { session } = checkout.state();
    if (!session || readySent) return;
    readySent = true;
    run(session.allowed_origins);
  };
  checkout.subscribe(postComplete);
  postComplete();
}

function draw(): void {
  show(
    <App
      checkout={checkout}
      surface={surface}
      payButton={settings.pay_button}
      challengePlace={place}
      words={words}
      tag={tag}
      notifyPage={pageBridge.notifyPage}
      drawn={postHeight}
    />,
  );
}

function show(screen: ComponentChild): void {
  // Removes the skeleton before the first render, because Preact did not render it.
  if (root.hasAttribute("aria-busy")) root.replaceChildren();
  root.removeAttribute("aria-busy");
  render(screen, root);
}

/** Applies new settings of the merchant's page: appearance, language, pay button and postal code. */
async function applySettings(chosen: Settings): Promise<void> {
  settings = chosen;
  const appearance = readAppearance(chosen.appearance);
  applyAppearance(page, appearance);
  if (appearance.rejected.length > 0) {
    pageBridge.notifyPage({
      type: "error",
      code: "appearance_invalid",
      message: rejectedMessage(appearance.rejected),
    });
  }
  checkout.setRequiredFields({ postalCode: chosen.postal_code === "required" });
  const locale = chooseLocale([chosen.locale, servedTag]);
  if (locale.tag !== tag) {
    const loaded = await loadWords(locale.language);
    // The settings changed again while the dictionary was loading.
    if (settings !== chosen) return;
    if (loaded) {
      words = loaded;
      tag = page.lang = locale.tag;
      page.dir = directionOf(locale.language);
    }
  }
  draw();
}

function handleMessage(message: PageMessage): void {
  switch (message.type) {
    case "submit":
      void checkout.submit();
      break;
    case "focus":
      checkout.focus(message.field);
      break;
    case "update":
      void applySettings(settingsOf(message));
      break;
    case "modal.dismissed":
      void checkout.cancelChallenge();
      break;
    case "destroy":
      checkout.dispose();
      break;
  }
}

/**
 * Returns a new Idempotency-Key. Does not use `crypto.randomUUID`, which exists only in a secure context. A shop on
 * plain HTTP is not a secure context. Florin's page is not one either if it is opened under a host name of the local
 * network.
 */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Applies the appearance through the CSSOM, because the CSP forbids inline styles. */
function applyAppearance(root: HTMLElement, appearance: Appearance): void {
  root.dataset.theme = appearance.theme;
  for (const name of Object.keys(tokens) as TokenName[]) {
    const value = appearance.tokens[name];
    // Keep the default color if the browser does not support the merchant's.
    if (value !== undefined && (tokens[name].kind !== "color" || CSS.supports("color", value))) {
      root.style.setProperty(propertyOf(name), value);
    } else root.style.removeProperty(propertyOf(name));
  }
  const { accent, accentText } = appearance.tokens;
  // If the merchant chose a brand color, text that uses the default brand color gets the merchant's color.
  if (accent) root.style.setProperty("--accent-ink", "var(--accent)");
  else root.style.removeProperty("--accent-ink");
  if (accent && !accentText) {
    root.style.setProperty("--accent-text", isLight(accent) ? "#10130f" : "#ffffff");
  }
}
