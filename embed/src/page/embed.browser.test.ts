import assert from "node:assert/strict";
import { test } from "node:test";
import { slowed } from "@florin/server/test/slowness.ts";
import type { Frame } from "playwright-core";
import { testWallet } from "../frame/session.fixture.ts";
import type { Florin } from "./options.ts";
import { eventsOf, mount, payInside, startShopPages, waitForEvent } from "./shop-page.fixture.ts";

const { service, newPage, shopOrigin, openShopPage } = await startShopPages();

/** Cards that make the wallet's sheet taller than the form. */
const manyCards = Array.from({ length: 8 }, (_, index) => ({
  ...(testWallet.cards[0] as (typeof testWallet.cards)[number]),
  id: `card_${index}`,
}));

test("the page receives events when the form is ready, after a decline, and after the success", async () => {
  const page = await openShopPage();
  const opened = service.open({ success_url: "https://shop.example/thanks" });
  await mount(page, "pay", opened.embedUrl);
  await waitForEvent(page, "pay", "ready");
  await payInside(page, "pay", "4000000000009995");
  const failure = (await waitForEvent(page, "pay", "failed")) as Record<string, unknown>;
  assert.equal(failure.decline_code, "insufficient_funds");
  assert.equal(failure.retryable, true);
  await payInside(page, "pay", "4242424242424242");
  const completed = await waitForEvent(page, "pay", "complete");
  assert.deepEqual(completed, { session_id: opened.id, status: "complete" });
  // The shop decides whether to redirect, so the frame does not navigate.
  await page.waitForTimeout(2200);
  assert.equal(page.url(), `${shopOrigin}/shop`);
  await page.frameLocator("#pay iframe").getByText("Payment complete").waitFor();
  // Removes the session ID before the search, because a random ID can contain the same digits.
  const events = JSON.stringify(await eventsOf(page, "pay")).replaceAll(opened.id, "");
  assert.doesNotMatch(events, /4242|9995/);
});

test("two forms on one page do not receive each other's events", async () => {
  const page = await openShopPage();
  const [first, second] = [service.open(), service.open()];
  await mount(page, "pay", first.embedUrl);
  await mount(page, "other", second.embedUrl);
  await waitForEvent(page, "pay", "ready");
  await waitForEvent(page, "other", "ready");
  await payInside(page, "other", "4242424242424242");
  const completed = (await waitForEvent(page, "other", "complete")) as Record<string, unknown>;
  assert.equal(completed.session_id, second.id);
  assert.deepEqual(
    (await eventsOf(page, "pay")).map(([name]) => name),
    ["ready"],
  );
});

test("mounting twice creates one frame, destroying twice is harmless, and the form can be mounted again", async () => {
  const page = await openShopPage();
  const { embedUrl } = service.open();
  const frames = await page.evaluate((url) => {
    const florin = window.Florin as Florin;
    const first = florin.mount("#pay", { embedUrl: url });
    const second = florin.mount("#pay", { embedUrl: url });
    const counts = [document.querySelectorAll("iframe").length, Number(first === second)];
    first.destroy();
    first.destroy();
    counts.push(document.querySelectorAll("iframe").length);
    const third = florin.mount("#pay", { embedUrl: url });
    first.destroy();
    first.submit();
    counts.push(document.querySelectorAll("iframe").length, Number(third !== first));
    return counts;
  }, embedUrl);
  assert.deepEqual(frames, [1, 1, 0, 1, 1]);
});

test("after the shop emptied the element without destroy, mounting the same session shows the form again", async () => {
  const page = await openShopPage();
  const { embedUrl } = service.open();
  await mount(page, "pay", embedUrl);
  await waitForEvent(page, "pay", "ready");
  await page.evaluate(() => document.querySelector("#pay")?.replaceChildren());
  await mount(page, "pay", embedUrl);
  await waitForEvent(page, "pay", "ready");
  assert.equal(await page.locator("#pay iframe").count(), 1);
});

test("a form that the shop removed before it could load reports no error", async () => {
  const { page } = await newPage();
  await page.clock.install();
  await page.goto(`${shopOrigin}/shop`);
  await page.addScriptTag({ url: `${service.origin}/embed.js` });
  await page.route("**/embed/cs_*", () => {});
  await mount(page, "pay", service.open().embedUrl);
  await page.evaluate(() => document.querySelector("#pay")?.replaceChildren());
  await page.clock.fastForward(40_000);
  assert.deepEqual(await eventsOf(page, "pay"), []);
});

test("the frame is as high as its content", async () => {
  const page = await openShopPage();
  await mount(page, "pay", service.open().embedUrl);
  await waitForEvent(page, "pay", "ready");
  const frame = page.frameLocator("#pay iframe");
  /** Returns the height of the content, after the frame has reached the same height. */
  const height = async () => {
    for (;;) {
      const inside = await frame
        .locator("#florin")
        .evaluate((root) => root.getBoundingClientRect().height);
      const outside = await page.locator("#pay iframe").evaluate((element) => element.clientHeight);
      if (outside === Math.ceil(inside)) return outside;
      await page.waitForTimeout(20);
    }
  };
  const before = await height();
  await frame.locator(".pay").click();
  await frame.getByText("Enter your card number.").waitFor();
  assert.ok((await height()) > before);
});

test("the frame grows until the whole sheet of a wallet is visible, and shrinks again afterwards", async () => {
  const { page } = await newPage({ viewport: { width: 340, height: 660 } });
  await page.goto(`${shopOrigin}/shop`);
  await page.addScriptTag({ url: `${service.origin}/embed.js` });
  const wallets = [{ ...testWallet, cards: [...testWallet.cards, ...manyCards] }];
  await mount(page, "pay", service.open({ wallets }).embedUrl);
  await waitForEvent(page, "pay", "ready");
  const frame = page.frameLocator("#pay iframe");
  const height = () => page.locator("#pay iframe").evaluate((element) => element.clientHeight);
  const before = await height();
  await frame.getByRole("button", { name: "Test wallet" }).click();
  const sheet = frame.getByRole("dialog");
  const hidden = () => sheet.evaluate((element) => element.scrollHeight - element.clientHeight);
  while ((await hidden()) > 0) await page.waitForTimeout(20);
  assert.ok((await height()) > before);
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  while ((await height()) !== before) await page.waitForTimeout(20);
});

test("the frame keeps its content's height while it is scrolled out of view", async () => {
  const { page } = await newPage({ viewport: { width: 375, height: 660 } });
  await page.goto(`${shopOrigin}/shop`);
  await page.addScriptTag({ url: `${service.origin}/embed.js` });
  await mount(page, "pay", service.open().embedUrl);
  await waitForEvent(page, "pay", "ready");
  const frame = page.frameLocator("#pay iframe");
  await frame.getByRole("button", { name: "Insufficient funds" }).click();
  await page.evaluate(() => {
    document.body.style.paddingBottom = "3000px";
    scrollTo(0, 2500);
  });
  await page.waitForTimeout(300);
  // Playwright's click would scroll the frame into view.
  await frame.locator("form").evaluate((form: HTMLFormElement) => form.requestSubmit());
  await frame.locator(".banner").waitFor();
  const inside = await frame
    .locator("#florin")
    .evaluate((root) => Math.ceil(root.getBoundingClientRect().height));
  await page.waitForFunction(
    (height) => document.querySelector("#pay iframe")?.clientHeight === height,
    inside,
  );
  assert.ok((await page.evaluate(() => scrollY)) > 2000, "the frame is still out of view");
});

test("the fields are aligned with the edges of the element, and the page does not become wider", async () => {
  const page = await openShopPage();
  await page.evaluate(() => {
    document.body.style.margin = "4px";
  });
  await mount(page, "pay", service.open().embedUrl);
  await waitForEvent(page, "pay", "ready");
  const field = page.frameLocator("#pay iframe").locator(".box:has(#number)");
  const [inner, outer] = [await field.boundingBox(), await page.locator("#pay").boundingBox()];
  assert.equal(inner?.x, outer?.x);
  assert.equal(inner?.width, outer?.width);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
});

test("the form has a transparent background, with dark text on a light page and light text on a dark one", async () => {
  // Emulating a color scheme would override the color scheme of the frame's element.
  const { page } = await newPage({ colorScheme: null });
  await page.goto(`${shopOrigin}/shop`);
  await page.addScriptTag({ url: `${service.origin}/embed.js` });
  await page.evaluate(() => {
    const other = document.querySelector("#other") as HTMLElement;
    other.style.cssText = "background: #211d19; color: oklch(0.93 0.02 80)";
  });
  await mount(page, "pay", service.open().embedUrl);
  await mount(page, "other", service.open().embedUrl);
  const colors = async (target: string) => {
    await waitForEvent(page, target, "ready");
    const body = page.frameLocator(`#${target} iframe`).locator("body");
    return body.evaluate((element) => {
      const { backgroundColor, color } = getComputedStyle(element);
      return [backgroundColor, color];
    });
  };
  assert.deepEqual(await colors("pay"), ["rgba(0, 0, 0, 0)", "rgb(23, 26, 24)"]);
  assert.deepEqual(await colors("other"), ["rgba(0, 0, 0, 0)", "rgb(238, 241, 239)"]);
});

test("messages with the wrong source, shape or origin are ignored", async () => {
  const page = await openShopPage();
  await mount(page, "pay", service.open().embedUrl);
  await waitForEvent(page, "pay", "ready");
  await page.evaluate(async () => {
    const complete = {
      type: "complete",
      session_id: "cs_01jbqw3e4r5t6y7z8x9cvbnmas",
      status: "complete",
    };
    const stranger = document.createElement("iframe");
    document.body.append(stranger);
    const received: unknown[] = [];
    (stranger.contentWindow as Window).addEventListener("message", (event) =>
      received.push(event.data),
    );
    const script = `parent.postMessage({ florin: 1, type: "hello" }, "*")`;
    (stranger.contentWindow as unknown as { eval(code: string): void }).eval(script);
    window.postMessage(complete, "*");
    window.postMessage({ florin: 1, type: "hello" }, "*");
    const frame = document.querySelector("#pay iframe") as HTMLIFrameElement;
    // Even the actual parent cannot connect a second port.
    const channel = new MessageChannel();
    channel.port1.onmessage = ({ data }) => received.push(data);
    frame.contentWindow?.postMessage({ florin: 1, type: "port" }, "*", [channel.port2]);
    channel.port1.postMessage({ type: "submit" });
    await new Promise((resolve) => setTimeout(resolve, 500));
    Object.assign(window, { received });
  });
  assert.deepEqual(
    await page.evaluate(() => (window as unknown as { received: unknown[] }).received),
    [],
  );
  assert.deepEqual(
    (await eventsOf(page, "pay")).map(([name]) => name),
    ["ready"],
  );
  const shown = await page.frameLocator("#pay iframe").locator(".problem").count();
  assert.equal(shown, 0);
});

test("a policy that blocks the frame of another origin causes no error", async () => {
  const page = await openShopPage();
  await mount(page, "pay", service.open().embedUrl);
  await waitForEvent(page, "pay", "ready");
  const report = (blockedURI: string) =>
    page.evaluate((uri) => {
      const of = { disposition: "enforce", effectiveDirective: "frame-src", blockedURI: uri };
      const type = "securitypolicyviolation";
      const required = { documentURI: "", originalPolicy: "", statusCode: 200 } as const;
      const violated = { violatedDirective: "frame-src", ...required, ...of };
      document.dispatchEvent(
        new SecurityPolicyViolationEvent(type, violated as SecurityPolicyViolationEventInit),
      );
    }, blockedURI);
  await report(`${service.origin}0/embed`);
  await report(`${service.origin}.example/`);
  const names = async () => (await eventsOf(page, "pay")).map(([name]) => name);
  assert.deepEqual(await names(), ["ready"]);
  await report(service.origin);
  await report(`${service.origin}/embed/cs_1`);
  assert.deepEqual(await names(), ["ready", "error", "error"]);
});

test("a page outside allowed_origins gets no form, and an error with the reason within eight seconds", async () => {
  const page = await openShopPage();
  const opened = service.open({ allowed_origins: ["https://elsewhere.example"] });
  const started = Date.now();
  await mount(page, "pay", opened.embedUrl);
  const error = (await waitForEvent(page, "pay", "error")) as Record<string, string>;
  assert.equal(error.code, "frame_unresponsive");
  assert.match(error.message ?? "", /allowed_origins/);
  assert.ok(Date.now() - started < slowed(8000));
  // The page shows a link, with which the customer can still pay on Florin's page.
  const way = page.getByRole("link", { name: "Secure payment" });
  assert.equal(await way.getAttribute("href"), opened.embedUrl);
  assert.equal(await page.frameLocator("#pay iframe").locator("#number").count(), 0);
});

test("after the timeout, a link replaces a slow frame until the frame loads", async () => {
  const { page } = await newPage();
  await page.clock.install();
  await page.goto(`${shopOrigin}/shop`);
  await page.addScriptTag({ url: `${service.origin}/embed.js` });
  const arrival = Promise.withResolvers<void>();
  await page.route("**/embed/cs_*", async (route) => {
    await arrival.promise;
    await route.continue();
  });
  await mount(page, "pay", service.open().embedUrl);
  await page.clock.fastForward(20_000);
  assert.deepEqual(await eventsOf(page, "pay"), []);
  await page.clock.fastForward(20_000);
  await waitForEvent(page, "pay", "error");
  const way = page.getByRole("link", { name: "Secure payment" });
  await way.waitFor();
  arrival.resolve();
  await waitForEvent(page, "pay", "ready");
  assert.equal(await way.count(), 0);
  await page.frameLocator("#pay iframe").locator("#number").waitFor();
});

test("the shop can submit with its own button, hide the form's button, and focus a field", async () => {
  const page = await openShopPage();
  const { embedUrl } = service.open();
  await page.evaluate((url) => {
    const mounted = window.Florin?.mount("#pay", { embedUrl: url, payButton: "hidden" });
    Object.assign(window, { mounted });
  }, embedUrl);
  const frame = page.frameLocator("#pay iframe");
  await frame.locator(".pay").waitFor({ state: "hidden" });
  await frame.locator("#number").waitFor();
  await page.evaluate(() =>
    (window as unknown as { mounted: { submit(): void } }).mounted.submit(),
  );
  await frame.getByText("Enter your card number.").waitFor();
  await page.evaluate(() => {
    (window as unknown as { mounted: { focus(field: string): void } }).mounted.focus("cvc");
  });
  await frame.locator("#cvc:focus").waitFor();
  await page.evaluate(() => {
    const { mounted } = window as unknown as { mounted: { update(options: object): void } };
    mounted.update({ payButton: "shown" });
  });
  await frame.locator(".pay").waitFor({ state: "visible" });
});

test("a script tag without other code mounts the form and dispatches events on its element", async () => {
  const { page } = await newPage();
  const { embedUrl } = service.open({ status: "expired" });
  await page.goto(`${shopOrigin}/snippet?embed_url=${encodeURIComponent(embedUrl)}`);
  await page.waitForFunction(() => document.title === "expired");
  assert.equal(await page.locator("#here iframe").count(), 1);
});

test("an element of the shop with the ID Florin does not prevent the loader from starting", async () => {
  for (const element of [
    `<div id="Florin"></div>`,
    `<form id="Florin"><input name="mount"></form>`,
  ]) {
    const { page } = await newPage();
    await page.goto(`${shopOrigin}/shop`);
    await page.evaluate((html) => document.body.insertAdjacentHTML("beforeend", html), element);
    await page.addScriptTag({ url: `${service.origin}/embed.js` });
    await mount(page, "pay", service.open().embedUrl);
    await waitForEvent(page, "pay", "ready");
  }
});

test("in a sandbox without allow-forms, the pay button and the Enter key work, and the page receives an error", async () => {
  const { page } = await newPage();
  await page.goto(`${shopOrigin}/shop`);
  await page.evaluate(() => {
    const outer = document.createElement("iframe");
    outer.setAttribute("sandbox", "allow-scripts allow-same-origin");
    outer.src = "/shop";
    outer.height = "800";
    document.querySelector("#other")?.append(outer);
  });
  const outer = page.frameLocator("#other iframe");
  await outer.locator("#pay").waitFor({ state: "attached" });
  const inner = page.frames()[1] as Frame;
  await inner.addScriptTag({ url: `${service.origin}/embed.js` });
  const opened = service.open();
  await inner.evaluate((embedUrl) => {
    const onError = ({ code }: { code: string }) => {
      document.title = code;
    };
    const onReady = () => document.body.classList.add("ready");
    window.Florin?.mount("#pay", { embedUrl, onError, onReady });
  }, opened.embedUrl);
  // Until then, the frame grows, and a click can miss the button.
  await outer.locator("body.ready").waitFor();
  const form = outer.frameLocator("#pay iframe");
  await form.locator(".pay").click();
  await form.getByText("Enter your card number.").waitFor();
  assert.equal(await inner.title(), "forms_blocked");
  await form.getByRole("button", { name: "Success" }).click();
  await form.locator("#name").press("Enter");
  await form.getByText("Payment complete").waitFor();
  assert.equal(opened.session.attempts, 1);
});

test("invalid mount options throw an error that names them", async () => {
  const page = await openShopPage();
  const message = (run: string) =>
    page.evaluate(`try { ${run}; "no error" } catch (error) { error.message }`);
  assert.match(
    String(await message(`Florin.mount("#nothing", { embedUrl: "/embed/x" })`)),
    /#nothing/,
  );
  assert.match(String(await message(`Florin.mount("#pay", {})`)), /embed_url/);
  assert.match(
    String(await message(`Florin.mount("#pay", { embedUrl: "javascript:1" })`)),
    /http or https/,
  );
});

test("loading the form with an empty cache takes at most six requests and one frame, all from Florin's origin", async () => {
  const { page } = await newPage();
  await page.goto(`${shopOrigin}/shop`);
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.addScriptTag({ url: `${service.origin}/embed.js` });
  await mount(page, "pay", service.open({ locale: "fr" }).embedUrl);
  await waitForEvent(page, "pay", "ready");
  await page.frameLocator("#pay iframe").getByText("Numéro de carte").waitFor();
  const overTheWire = requested.filter((url) => !url.startsWith("data:"));
  assert.ok(overTheWire.length <= 6, overTheWire.join("\n"));
  assert.deepEqual(
    overTheWire.filter((url) => !url.startsWith(service.origin)),
    [],
  );
  assert.equal(await page.locator("iframe").count(), 1);
  assert.equal(await page.frameLocator("#pay iframe").locator("iframe").count(), 0);
});

test("appearance and locale apply from the first render and follow option updates", async () => {
  const page = await openShopPage();
  // During a color transition, the computed color would match neither theme.
  await page.emulateMedia({ reducedMotion: "reduce" });
  const { embedUrl } = service.open();
  await page.evaluate((url) => {
    const events: unknown[] = [];
    const mounted = window.Florin?.mount("#pay", {
      embedUrl: url,
      locale: "he",
      appearance: { theme: "plain", accent: "#ffd400", radius: "20px" },
      onError: (error) => events.push(error),
    });
    Object.assign(window, { mounted, events });
  }, embedUrl);
  const frame = page.frameLocator("#pay iframe");
  await frame.locator("#number").waitFor();
  const styles = () =>
    frame.locator(".pay").evaluate((button) => {
      const { backgroundColor, color, borderRadius } = getComputedStyle(button);
      const { dir, lang, dataset } = document.documentElement;
      return [backgroundColor, color, borderRadius, dir, lang, dataset.theme];
    });
  // The text color on the shop's accent color is chosen by contrast.
  assert.deepEqual(await styles(), [
    "rgb(255, 212, 0)",
    "rgb(16, 19, 15)",
    "20px",
    "rtl",
    "he",
    "plain",
  ]);
  await page.evaluate(() => {
    const { mounted } = window as unknown as { mounted: { update(options: object): void } };
    mounted.update({ locale: "de", appearance: { accent: "url(https://evil.example)" } });
  });
  await frame.getByText("Kartennummer").waitFor();
  const [ground, , , dir, , theme] = await styles();
  assert.deepEqual([ground, dir, theme], ["rgb(11, 93, 69)", "ltr", "calm"]);
  assert.deepEqual(await page.evaluate(() => (window as unknown as { events: unknown[] }).events), [
    {
      code: "appearance_invalid",
      message: "Invalid appearance options: accent. Correct their names or values.",
    },
  ]);
});

test("the custom element mounts, dispatches events, follows its attributes, and unmounts", async () => {
  const page = await openShopPage();
  const { embedUrl } = service.open();
  await page.evaluate((url) => {
    const events: string[] = [];
    Object.assign(window, { events });
    const element = document.createElement("florin-checkout");
    for (const name of ["ready", "complete"] as const) {
      element.addEventListener(`florin:${name}`, () => events.push(name));
    }
    element.setAttribute("embed-url", url);
    element.setAttribute("locale", "fr");
    document.querySelector("#pay")?.append(element);
  }, embedUrl);
  const frame = page.frameLocator("florin-checkout iframe");
  await frame.getByText("Numéro de carte").waitFor();
  await page.evaluate(() =>
    document.querySelector("florin-checkout")?.setAttribute("locale", "it"),
  );
  await frame.getByText("Numero della carta").waitFor();
  assert.equal(await page.locator("iframe").count(), 1);
  await frame.getByRole("button", { name: "Success" }).click();
  await frame.locator(".pay").click();
  await page.waitForFunction(() =>
    (window as unknown as { events: string[] }).events.includes("complete"),
  );
  await page.evaluate(() => document.querySelector("florin-checkout")?.remove());
  assert.equal(await page.locator("iframe").count(), 0);
});

test("an element created before the loader keeps its appearance property", async () => {
  const { page } = await newPage();
  await page.goto(`${shopOrigin}/shop`);
  await page.evaluate((url) => {
    const element = document.createElement("florin-checkout");
    Object.assign(element, { appearance: { accent: "#ffd400" } });
    element.setAttribute("embed-url", url);
    document.querySelector("#pay")?.append(element);
  }, service.open().embedUrl);
  await page.addScriptTag({ url: `${service.origin}/embed.js` });
  /**
   * Retries, because the form may replace the skeleton after the button was found. The detached button then has no
   * computed style.
   */
  const becomes = async (color: string) => {
    const button = page.frameLocator("florin-checkout iframe").locator(".pay");
    let ground = "";
    for (let tries = 0; tries < 50 && ground !== color; tries++) {
      ground = await button.evaluate((found) => getComputedStyle(found).backgroundColor);
      if (ground !== color) await page.waitForTimeout(100);
    }
    assert.equal(ground, color);
  };
  await becomes("rgb(255, 212, 0)");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(() => {
    const element = document.querySelector("florin-checkout") as HTMLElement;
    Object.assign(element, { appearance: { accent: "#00ff00" } });
  });
  await becomes("rgb(0, 255, 0)");
});

test("events of an element inside a shadow root reach the page", async () => {
  const page = await openShopPage();
  const { embedUrl } = service.open();
  await page.evaluate((url) => {
    addEventListener("florin:ready", () => {
      document.title = "ready";
    });
    const element = document.createElement("florin-checkout");
    element.setAttribute("embed-url", url);
    document.querySelector("#pay")?.attachShadow({ mode: "open" }).append(element);
  }, embedUrl);
  await page.waitForFunction(() => document.title === "ready");
});
