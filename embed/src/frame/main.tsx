import { render } from "preact";
import type { PageMessage } from "../protocol/message.ts";
import { createFrameApi } from "./api.ts";
import { App } from "./app.tsx";
import { createCheckout } from "./checkout.ts";
import { createHost } from "./host.ts";
import type { Surface } from "./surface.ts";
import { english } from "./words.ts";

/** The frame starts: it reads its session from its own address, and keeps nothing anywhere but in memory. */
const surface: Surface = window.parent === window ? "page" : "frame";
const sessionId = location.pathname.split("/").at(-1) ?? "";
const clientSecret = location.hash.slice(1);
const root = document.getElementById("florin") as HTMLElement;
let payButton: "shown" | "hidden" = "shown";

const host = createHost(window.parent, obey);
const checkout = createCheckout({
  api: createFrameApi(sessionId, clientSecret),
  newKey: () => crypto.randomUUID(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now: () => Date.now(),
  later(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  tell: host.tell,
});

document.documentElement.dataset.surface = surface;
document.addEventListener("visibilitychange", () => {
  // Perhaps it was paid in another tab meanwhile.
  if (!document.hidden) void checkout.refresh();
});
void start();

async function start(): Promise<void> {
  await checkout.refresh();
  root.replaceChildren();
  root.removeAttribute("aria-busy");
  draw();
  new ResizeObserver(tellHeight).observe(root);
  whenLoaded(host.greet);
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
  render(
    <App
      checkout={checkout}
      surface={surface}
      payButton={payButton}
      words={english}
      tell={host.tell}
      drawn={tellHeight}
    />,
    root,
  );
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
      payButton = message.pay_button;
      draw();
      break;
    case "destroy":
      checkout.dispose();
      break;
  }
}
