import { type ComponentChild, render } from "preact";
import { onChallengeMoved } from "../protocol/challenge-news.ts";
import type { PageMessage } from "../protocol/message.ts";
import { createFrameApi } from "./api.ts";
import { App } from "./app.tsx";
import { readAppearance } from "./appearance.ts";
import type { ChallengePlace } from "./challenge.tsx";
import { createCheckout } from "./checkout.ts";
import { dress } from "./dress.ts";
import { createHost } from "./host.ts";
import { chooseLocale, directionOf, type Language } from "./locales/choose-locale.ts";
import { loadWords } from "./locales/load-words.ts";
import type { Words } from "./locales/words.ts";
import { newKey } from "./new-key.ts";
import { NoConnection } from "./no-connection.tsx";
import { readFragment, type Settings, settingsOf } from "./settings.ts";
import type { Surface } from "./surface.ts";
import { silenceDelayMs } from "./watch.ts";

/** The frame starts: it reads its session from its own address, and keeps nothing anywhere but in memory. */
const page = document.documentElement;
const surface: Surface = window.parent === window ? "page" : "frame";
const sessionId = location.pathname.split("/").at(-1) ?? "";
const { secret, settings: first } = readFragment(location.hash);
const root = document.getElementById("florin") as HTMLElement;

/** How long a frame waits for a loader before it shows the bank's check inside itself. */
const loaderPatienceMs = 1500;

let settings = first;
let place: ChallengePlace = surface === "page" ? "window" : null;
/** The server has chosen by the session and the browser, and wrote it on the document. */
const servedTag = page.lang;
let tag = servedTag;
let words: Words;

const host = createHost(window.parent, {
  received: obey,
  connected() {
    place = "overlay";
    draw();
  },
});
const checkout = createCheckout({
  api: createFrameApi(sessionId, secret),
  newKey,
  report: (bug) => reportError(bug),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now: () => Date.now(),
  later(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  words: () => words,
  tell: host.tell,
});

page.dataset.surface = surface;
void start();

async function start(): Promise<void> {
  dress(page, readAppearance(settings.appearance));
  checkout.want({ postalCode: settings.postal_code === "required" });
  // The first refresh already has news to tell, in words.
  words = await firstWords(chooseLocale([servedTag]).language);
  refreshWhenNeeded();
  await checkout.refresh();
  draw();
  new ResizeObserver(tellHeight).observe(root);
  whenLoaded(host.greet);
  setTimeout(() => {
    place ??= "inline";
    draw();
  }, loaderPatienceMs);
}

/** Without words there is no form: they are asked for until they come. */
async function firstWords(language: Language): Promise<Words> {
  for (;;) {
    const loaded = await loadWords(language);
    if (loaded) return loaded;
    // Their file may be gone with a newer version, whose document names another.
    show(<NoConnection language={language} retry={() => location.reload()} />);
    await new Promise((resolve) => {
      setTimeout(resolve, silenceDelayMs);
      addEventListener("online", resolve, { once: true });
    });
  }
}

function refreshWhenNeeded(): void {
  document.addEventListener("visibilitychange", () => {
    // Perhaps it was paid in another tab meanwhile.
    if (!document.hidden) void checkout.refresh();
  });
  addEventListener("pageshow", ({ persisted }) => {
    // Back from the bank's page, out of the browser's memory.
    if (persisted) void checkout.refresh();
  });
  addEventListener("online", () => void checkout.refresh());
  onChallengeMoved(() => void checkout.refresh());
}

/**
 * Called by the observer, which sees every cause, and after every change of ours: a browser does not lay out a frame that
 * is scrolled out of view, the observer then sleeps, and the shop's page would jump when the customer comes back to it.
 */
function tellHeight(): void {
  host.tell({ type: "resize", height: Math.ceil(root.getBoundingClientRect().height) });
}

/** Only the session says who may frame us; if the first read failed, a later one will tell. */
function whenLoaded(run: (allowedOrigins: readonly string[]) => void): void {
  let told = false;
  const tellOnce = (): void => {
    const { session } = checkout.state();
    if (!session || told) return;
    told = true;
    run(session.allowed_origins);
  };
  checkout.subscribe(tellOnce);
  tellOnce();
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
      tell={host.tell}
      drawn={tellHeight}
    />,
  );
}

function show(screen: ComponentChild): void {
  // At first the skeleton stands there, which is not ours to redraw.
  if (root.hasAttribute("aria-busy")) root.replaceChildren();
  root.removeAttribute("aria-busy");
  render(screen, root);
}

/** The page has chosen anew: looks, language, whether the button and the postal code are shown. */
async function settle(chosen: Settings): Promise<void> {
  settings = chosen;
  const appearance = readAppearance(chosen.appearance);
  dress(page, appearance);
  if (appearance.refused.length > 0) {
    const names = appearance.refused.join(", ");
    host.tell({ type: "error", code: "appearance_refused", message: `Not understood: ${names}` });
  }
  checkout.want({ postalCode: chosen.postal_code === "required" });
  const locale = chooseLocale([chosen.locale, servedTag]);
  if (locale.tag !== tag) {
    const loaded = await loadWords(locale.language);
    // While it came, the page may have chosen once more.
    if (settings !== chosen) return;
    if (loaded) {
      words = loaded;
      tag = page.lang = locale.tag;
      page.dir = directionOf(locale.language);
    }
  }
  draw();
}

function obey(message: PageMessage): void {
  switch (message.type) {
    case "submit":
      void checkout.submit();
      break;
    case "focus":
      checkout.focus(message.field);
      break;
    case "update":
      void settle(settingsOf(message));
      break;
    case "modal.dismissed":
      void checkout.cancelChallenge();
      break;
    case "destroy":
      checkout.dispose();
      break;
  }
}
