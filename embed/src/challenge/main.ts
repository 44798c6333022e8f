import type { BrowserScreen, ChallengeStep } from "@florin/contract/challenge.ts";
import { signalChallengeChange } from "../protocol/challenge-signal.ts";
import { readChallengeFragment } from "../protocol/challenge-url.ts";
import type { ChallengeHeight } from "../protocol/message.ts";
import { createChallengeApi } from "./challenge-api.ts";
import { createIssuerFrame } from "./issuer-frame.ts";

/**
 * The script of the challenge document. It performs the steps that the service returns. The outcome comes from the
 * service only. A message from the issuer's page only triggers a status read.
 *
 * With `?prepare`, in a hidden frame, it performs all steps that need no interaction and stops before the challenge.
 * A visible frame with the same document then shows the challenge.
 */
const prepares = new URLSearchParams(location.search).has("prepare");
const alone = window.parent === window;
const { secret, session } = readChallengeFragment(location.hash);
const challengeApi = createChallengeApi(location.pathname, secret);
const part = (id: string) => document.getElementById(id) as HTMLElement;

/** The time limit for the hidden 3DS method page (EMV 3DS). */
const methodMs = 10_000;
/** The height of the issuer's page in a frame (challenge.css), the same as in the EMV 3DS window size 500 × 600. */
const framedBankHeight = 600;
const pollIntervalMs = 2_000;
const readMessageMs = 6_000;

let canceled = false;
let wake = (): void => {};

if (alone) setUpCancelButton();
else postHeights();
// A page that the browser restores from the back/forward cache shows an outdated state.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
void runSteps();

async function runSteps(): Promise<void> {
  let next = await challengeApi.begin();
  for (;;) {
    // If there was no response, retry when the connection returns.
    next ??= await pollLater(pollIntervalMs);
    if (!next) continue;
    showIssuerMessage(next.cardholder_info);
    switch (next.step) {
      case "method":
        await runMethodPage(next);
        next = await challengeApi.authenticate(browserScreen());
        break;
      case "authenticate":
        next = await challengeApi.authenticate(browserScreen());
        break;
      case "challenge":
        if (prepares) return signalChallengeChange();
        next = await showIssuerPage();
        break;
      case "wait":
        next = await pollLater(500);
        break;
      case "done":
        return finish(next);
    }
  }
}

async function pollLater(ms: number): Promise<ChallengeStep | null> {
  await sleep(ms);
  return challengeApi.readStatus();
}

/** Waits for the given time, or until `wake` is called. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

async function runMethodPage({ method }: ChallengeStep): Promise<void> {
  if (!method) return;
  const container = document.createElement("div");
  container.hidden = true;
  document.body.append(container);
  const { url } = method;
  const frame = createIssuerFrame(container, {
    title: "Your bank",
    action: url,
    returned: () => wake(),
  });
  frame.post(url, { threeDSMethodData: method.data });
  await sleep(methodMs);
  frame.remove();
  container.remove();
}

/**
 * Shows the issuer's page until the service returns another step, or until the page must be loaded again. If there is
 * nothing to submit to the issuer, reads the status, which contains the next step.
 */
async function showIssuerPage(): Promise<ChallengeStep | null> {
  const place = part("bank");
  const { innerWidth, innerHeight } = window;
  const height = alone ? innerHeight : framedBankHeight;
  const form = await challengeApi.challenge(windowSizeFor(innerWidth, height));
  if (!form) return challengeApi.readStatus();
  const { url, method, fields } = form;
  let over = false;
  const frame = createIssuerFrame(place, {
    title: "Your bank's page",
    action: url,
    returned() {
      over = true;
      frame.element.hidden = true;
      showWaiting(true);
      wake();
    },
  });
  // If the service is unreachable when the frame loads, the frame may show a browser error page. The challenge cannot
  // continue from an error page, so it must then be shown again.
  let [moved, onErrorPage] = [false, false];
  frame.element.onload = () => {
    moved = true;
    wake();
  };
  showWaiting(false);
  if (method === "GET") frame.open(url);
  else frame.post(url, fields);
  for (;;) {
    // After the issuer's page has finished, reads the status after a shorter delay, because the outcome is then
    // available within moments.
    await sleep(over || moved ? 400 : pollIntervalMs);
    const arrived = moved;
    moved = false;
    const next = await challengeApi.readStatus();
    if (!next) onErrorPage ||= arrived;
    if (!next || (next.step === "challenge" && (over || !onErrorPage))) continue;
    frame.remove();
    showWaiting(true);
    return next;
  }
}

function finish({ passed, return_url, session_url, cardholder_info }: ChallengeStep): void {
  signalChallengeChange();
  part("leave").hidden = true;
  part("question").hidden = true;
  const back = session && session_url ? `${session_url}#${session}` : return_url;
  if (alone && back) {
    // Delays the redirect, so that the customer can read the issuer's message.
    if (cardholder_info) setTimeout(() => redirectTo(back), readMessageMs);
    else redirectTo(back);
  }
  // The authorization is still in progress, so the waiting text stays.
  if (passed === null) return;
  showWaiting(false);
  part(passed ? "passed" : "rejected").hidden = false;
}

/** Replaces the history entry, so that "back" from the shop does not return to a finished challenge. */
function redirectTo(url: string): void {
  location.replace(url);
}

/** Shows or hides the waiting text, which is hidden while the issuer's page is visible. */
function showWaiting(waiting: boolean): void {
  part("status").hidden = !waiting;
}

/** Shows the issuer's message to the cardholder, which EMV 3DS requires. */
function showIssuerMessage(words: string | null): void {
  const info = part("info");
  info.hidden = words === null;
  info.textContent = words;
}

/**
 * Shows a cancel button if this document is the top-level page. In a frame, the embedding page shows its own cancel
 * button.
 */
function setUpCancelButton(): void {
  const [leave, question] = [part("leave"), part("question")];
  document.body.className = "alone";
  const showConfirmation = (visible: boolean): void => {
    leave.hidden = visible;
    question.hidden = !visible;
    part("bank").inert = visible;
    part(visible ? "stay" : "leave").focus();
  };
  leave.onclick = () => showConfirmation(true);
  part("stay").onclick = () => showConfirmation(false);
  part("stop").onclick = async () => {
    if (canceled) return;
    canceled = true;
    await challengeApi.cancel();
    canceled = false;
    showConfirmation(false);
    wake();
  };
}

/**
 * Sends the height of this document to the loader, which gives the sheet the same height. The loader opens this
 * document with the shop's origin as the referrer. The messages are sent to that origin only. Without a referrer, no
 * message is sent and the sheet keeps its height.
 */
function postHeights(): void {
  if (!URL.canParse(document.referrer)) return;
  const { origin } = new URL(document.referrer);
  const content = document.querySelector("main") as HTMLElement;
  new ResizeObserver(() => {
    const challengeHeight = Math.ceil(content.getBoundingClientRect().height);
    parent.postMessage({ challengeHeight } satisfies ChallengeHeight, origin);
  }).observe(content);
}

/** Returns the browser data of EMV 3DS table A.1 that only a script can read. */
function browserScreen(): BrowserScreen {
  return {
    color_depth: screen.colorDepth,
    screen_height: Math.round(screen.height),
    screen_width: Math.round(screen.width),
    time_zone: new Date().getTimezoneOffset(),
    language: (navigator.language || "en").slice(0, 35),
    // Some browsers have removed `navigator.javaEnabled`. In the others it always returns false.
    java_enabled: typeof navigator.javaEnabled === "function" && navigator.javaEnabled(),
  };
}

/** Returns the code of the largest EMV 3DS challenge window size that fits. */
function windowSizeFor(width: number, height: number): "01" | "02" | "03" | "04" | "05" {
  if (width >= 800 && height >= 700) return "05";
  if (width >= 600) return "04";
  if (width >= 500 && height >= 600) return "03";
  return width >= 390 ? "02" : "01";
}
