import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { challengedCard, pay, validCard, waitForText } from "./customer.ts";
import { journey } from "./journey.ts";
import { createSession, readSession } from "./merchant-api.ts";
import { openMerchantPage } from "./merchant-page.ts";
import { florin } from "./running-florin.ts";

/** The strictest policy with which the card form works. Only two directives allow the service's origin. */
const strictPolicy = [
  "default-src 'none'",
  `script-src 'nonce-shop' ${florin.url}`,
  `frame-src ${florin.url}`,
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

type Published = { src: string; integrity: string; html: string };
const published: Published = await (await fetch(`${florin.url}/embed.json`)).json();

const mountingPage = (embedUrl: string) => `${published.html}
  <script nonce="shop">
    document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
    const violations = [];
    const events = [];
    const record = (name) => (detail) => events.push(name + " " + JSON.stringify(detail));
    Florin.mount("#pay", {
      embedUrl: ${JSON.stringify(embedUrl)},
      onReady: record("ready"), onComplete: record("complete"), onError: record("error"), onChange: record("change"),
    });
  </script>`;

/**
 * Waits until the page has received the event. Polls through the debugger, because the page's CSP does not restrict the
 * debugger.
 */
async function waitForEvent(page: Page, name: string): Promise<string> {
  for (;;) {
    const events = (await page.evaluate("events")) as string[];
    const found = events.find((word) => word.startsWith(`${name} `));
    if (found) return found;
    await page.waitForTimeout(100);
  }
}

journey(
  "a strict CSP needs only Florin's origin in script-src and frame-src, including for the challenge",
  async (customer) => {
    const session = await createSession({ amount: 2800 });
    const shop = await openMerchantPage(mountingPage(session.embed_url), {
      "content-security-policy": strictPolicy,
    });
    const page = await customer.newPage();
    const origins = new Set<string>();
    page.on("request", (request) => origins.add(new URL(request.url()).origin));
    await page.goto(shop);
    const form = page.frameLocator("#pay iframe");
    await pay(form, challengedCard);
    const overlay = page.locator("florin-overlay dialog");
    await overlay.getByRole("button", { name: "Close" }).click();
    await overlay.getByRole("button", { name: "Cancel payment" }).click();
    await waitForText(form, "You canceled the verification.");
    await pay(form, validCard);
    await waitForEvent(page, "complete");
    assert.equal((await readSession(session.id)).payment_status, "paid");
    assert.deepEqual(await page.evaluate("violations"), []);
    // The shop, Florin and the test issuer run on this machine. A request to any other origin is a request to a third
    // party.
    const others = [...origins].filter(
      (origin) => !/^(http:\/\/(127\.0\.0\.1|localhost)|null)/.test(origin),
    );
    assert.deepEqual(others, []);
  },
);

journey(
  "a page whose CSP blocks the frame receives an error immediately and can redirect the customer",
  async (customer) => {
    const session = await createSession({ amount: 2800 });
    const shop = await openMerchantPage(mountingPage(session.embed_url), {
      "content-security-policy": strictPolicy.replace(`frame-src ${florin.url}; `, ""),
    });
    const page = await customer.newPage();
    await page.goto(shop);
    await page.waitForFunction("events.length > 0");
    const [first] = (await page.evaluate("events")) as string[];
    assert.match(first ?? "", /frame_blocked.*frame-src/);
    await page.getByRole("link", { name: "Secure payment" }).click();
    await pay(page, validCard);
    await waitForText(page, "Payment complete");
  },
);

journey("a policy that only reports violations causes no error", async (customer) => {
  const session = await createSession({ amount: 2800 });
  const shop = await openMerchantPage(mountingPage(session.embed_url), {
    "content-security-policy-report-only": strictPolicy.replace(`frame-src ${florin.url}; `, ""),
  });
  const page = await customer.newPage();
  await page.goto(shop);
  await waitForEvent(page, "ready");
  assert.ok(((await page.evaluate("violations")) as string[]).includes("frame-src"));
  const events = (await page.evaluate("events")) as string[];
  assert.deepEqual(
    events.filter((event) => event.startsWith("error")),
    [],
  );
});

journey("a thousand forged messages have no effect and trigger no event", async (customer) => {
  const session = await createSession({ amount: 2800 });
  const shop = await openMerchantPage(mountingPage(session.embed_url));
  const page = await customer.newPage();
  await page.goto(shop);
  await waitForEvent(page, "ready");
  await page.evaluate(async () => {
    const frame = document.querySelector("#pay iframe") as HTMLIFrameElement;
    const foreignFrame = document.body.appendChild(document.createElement("iframe"));
    const types = [
      "hello",
      "port",
      "ready",
      "complete",
      "failed",
      "modal.open",
      "modal.dismissed",
      "submit",
      "update",
      "destroy",
    ];
    for (let count = 0; count < 1000; count++) {
      const message = {
        type: types[count % types.length],
        ...(count % 3 === 0 && { florin: 1 }),
        ...(count % 7 === 0 && { url: "javascript:alert(1)", height: 1e9, session_id: "cs_1" }),
      };
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) =>
        (window as unknown as { events: string[] }).events.push(`received ${data.type}`);
      // Sends the message to the frame from the frame's parent window. Sends it to the loader from the page's own
      // window and from an unrelated frame.
      frame.contentWindow?.postMessage(message, "*", [port2]);
      window.postMessage(message, "*");
      (foreignFrame.contentWindow as unknown as { parent: Window }).parent.postMessage(
        message,
        "*",
      );
      port1.postMessage(message);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  assert.deepEqual(await page.evaluate("events"), ["ready {}"]);
  assert.equal(await page.locator("florin-overlay").count(), 0);
  const form = page.frameLocator("#pay iframe");
  await pay(form, validCard);
  await waitForEvent(page, "complete");
  assert.doesNotMatch(JSON.stringify(await page.evaluate("events")), /4242|123"/);
});

journey("a foreign page cannot show the form by framing an allowed page", async (customer) => {
  let embedUrl = "";
  const allowed = await openMerchantPage(() => mountingPage(embedUrl));
  const outer = await openMerchantPage(`<iframe id="shop" src="${allowed}"></iframe>`);
  const session = await createSession({ amount: 2800, allowed_origins: [new URL(allowed).origin] });
  embedUrl = session.embed_url;
  const page = await customer.newPage();
  await page.goto(allowed);
  await page.frameLocator("#pay iframe").locator("#number").waitFor();
  await page.goto(outer);
  await page.frameLocator("#shop").locator("#pay iframe").waitFor({ state: "attached" });
  await page.waitForTimeout(1500);
  // `frame-ancestors` applies to every ancestor, not only to the parent.
  const nested = page.frameLocator("#shop").frameLocator("#pay iframe");
  assert.equal(await nested.locator("input").count(), 0);
});
