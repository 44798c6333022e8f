import type { ChallengeStep } from "@florin/contract/challenge.ts";
import { readChallengeFragment } from "../protocol/challenge-address.ts";
import { tellChallengeMoved } from "../protocol/challenge-news.ts";
import { openBankFrame } from "./bank-frame.ts";
import { browserScreen, windowSizeFor } from "./browser-screen.ts";
import { openSteps } from "./steps.ts";

/**
 * The challenge document at work. It does what the service says is next, and learns how it went from the service
 * alone: what a bank's page posts or says is a word to look, no more.
 *
 * In a frame with `?prepare` nobody sees it: it then does all that needs nobody, and stops where the customer is
 * to be asked, for another copy of it that is seen.
 */
const prepares = new URLSearchParams(location.search).has("prepare");
const alone = window.parent === window;
const { secret, session } = readChallengeFragment(location.hash);
const steps = openSteps(location.pathname, secret);
const part = (id: string) => document.getElementById(id) as HTMLElement;

/** EMV 3DS: the bank's hidden page has ten seconds. */
const methodMs = 10_000;
const lookEveryMs = 2_000;
const readingMs = 6_000;

let cancelled = false;
let wake = (): void => {};

if (alone) watchTheWayOut();
// A page that the browser kept in memory does not know what happened meanwhile.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
void walk();

async function walk(): Promise<void> {
  let next = await steps.begin();
  for (;;) {
    // Nobody answered: the connection is gone, and may come back.
    next ??= await afterAPause(lookEveryMs);
    if (!next) continue;
    tellCardholder(next.cardholder_info);
    switch (next.step) {
      case "method":
        await showHiddenPage(next);
        next = await steps.authenticate(browserScreen());
        break;
      case "authenticate":
        next = await steps.authenticate(browserScreen());
        break;
      case "challenge":
        if (prepares) return tellChallengeMoved();
        next = await showBank();
        break;
      case "wait":
        next = await afterAPause(500);
        break;
      case "done":
        return finish(next);
    }
  }
}

async function afterAPause(ms: number): Promise<ChallengeStep | null> {
  await pause(ms);
  return steps.look();
}

/** Ends early when there is news. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

async function showHiddenPage({ method }: ChallengeStep): Promise<void> {
  if (!method) return;
  const place = document.createElement("div");
  place.hidden = true;
  document.body.append(place);
  const { url } = method;
  const frame = openBankFrame(place, { title: "Your bank", action: url, returned: () => wake() });
  frame.post(url, { threeDSMethodData: method.data });
  await pause(methodMs);
  frame.remove();
  place.remove();
}

/**
 * Shows the bank until the service says that it is over, or until the bank is to be shown anew. Where it cannot be posted
 * to, the next look tells why.
 */
async function showBank(): Promise<ChallengeStep | null> {
  const place = part("bank");
  const { innerWidth, innerHeight } = window;
  const form = await steps.challenge(windowSizeFor(innerWidth, innerHeight));
  if (!form) return steps.look();
  const { action, creq, three_ds_session_data: threeDSSessionData } = form;
  let over = false;
  const frame = openBankFrame(place, {
    title: "Your bank's page",
    action,
    returned() {
      over = true;
      frame.element.hidden = true;
      wait(true);
      wake();
    },
  });
  // A page that came while nobody could be reached is the browser's own, about the line, and nothing leads on from it.
  let [moved, stranded] = [false, false];
  frame.element.onload = () => {
    moved = true;
    wake();
  };
  wait(false);
  frame.post(action, { creq, threeDSSessionData });
  for (;;) {
    // After the bank's page is done the result is here, or as good as here.
    await pause(over || moved ? 400 : lookEveryMs);
    const arrived = moved;
    moved = false;
    const next = await steps.look();
    if (!next) stranded ||= arrived;
    if (!next || (next.step === "challenge" && (over || !stranded))) continue;
    frame.remove();
    wait(true);
    return next;
  }
}

function finish({ passed, return_url, session_url, cardholder_info }: ChallengeStep): void {
  tellChallengeMoved();
  part("leave").hidden = true;
  part("question").hidden = true;
  const back = session && session_url ? `${session_url}#${session}` : return_url;
  if (alone && back) {
    // What the bank has to say must be read before the window goes on.
    if (cardholder_info) setTimeout(() => leaveFor(back), readingMs);
    else leaveFor(back);
  }
  // Still under way: the acquirer is asked, and whoever waits here reads just that.
  if (passed === null) return;
  wait(false);
  part(passed ? "passed" : "refused").hidden = false;
}

/** Replaced, not pushed: "back" from the shop must not land on a check that is over. */
function leaveFor(url: string): void {
  location.replace(url);
}

/** That we wait; while the bank is there, it speaks for itself. */
function wait(waiting: boolean): void {
  part("status").hidden = !waiting;
}

/** The bank's own words for the cardholder must be shown (EMV 3DS). */
function tellCardholder(words: string | null): void {
  const info = part("info");
  info.hidden = words === null;
  info.textContent = words;
}

/** Alone in the window it has to bring its own way out; in a frame the page around it has one. */
function watchTheWayOut(): void {
  const [leave, question] = [part("leave"), part("question")];
  document.body.className = "alone";
  const ask = (asking: boolean): void => {
    leave.hidden = asking;
    question.hidden = !asking;
    part(asking ? "stay" : "leave").focus();
  };
  leave.onclick = () => ask(true);
  part("stay").onclick = () => ask(false);
  part("stop").onclick = async () => {
    if (cancelled) return;
    cancelled = true;
    await steps.cancel();
    cancelled = false;
    ask(false);
    wake();
  };
}
