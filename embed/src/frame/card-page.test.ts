import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openBrowser } from "../../test/browser.ts";
import { succeed } from "../../test/scripted-service.ts";
import { directionOf, languages } from "./locales/choose-locale.ts";

const { service, newPage } = await openBrowser();

async function fillCard(page: Page, number: string): Promise<void> {
  await page.fill("#number", number);
  await page.fill("#expiry", "12/30");
  await page.fill("#cvc", "123");
  await page.fill("#name", "Ada Lovelace");
}

/** Frames the card form as a page without the loader does. */
async function frameByHand(page: Page, embedUrl: string): Promise<void> {
  await page.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    frame.style.cssText = "width: 400px; height: 800px";
    document.body.append(frame);
  }, embedUrl);
}

const headingIs = (page: Page, name: string) =>
  page.getByRole("heading", { name, exact: true }).waitFor();
const confirmsOf = (id: string) =>
  service.requests.filter(({ path }) => path.endsWith(`${id}/confirm`));

test("a customer pays, sees it, and is taken on to the shop", async () => {
  const { page, complaints } = await newPage();
  const opened = service.open({
    success_url: `${service.origin}/thanks?session=7`,
  });
  await page.goto(opened.embedUrl);
  await page.getByRole("button", { name: "Pay $84.50" }).waitFor();
  await fillCard(page, "4242424242424242");
  await page.click(".pay");
  await headingIs(page, "Payment complete");
  await page.waitForURL(`${service.origin}/thanks?session=7`);
  // No policy violation, no Trusted Types error, no console output.
  assert.deepEqual(complaints, []);
});

test("a shop that is not on https can be paid too, each attempt under a key of its own", async () => {
  const { page } = await newPage();
  const { port } = new URL(service.origin);
  const opened = service.open({ allowed_origins: [`http://shop.test:${port}`] });
  await page.goto(`http://shop.test:${port}/shop`);
  assert.equal(await page.evaluate(() => isSecureContext), false);
  await frameByHand(page, opened.embedUrl);
  const form = page.frameLocator("iframe");
  for (const card of ["Insufficient funds", "Success"]) {
    await form.getByRole("button", { name: card }).click();
    await form.locator(".pay").click();
    await form.locator(".banner, .outcome.good").first().waitFor();
  }
  await form.getByRole("heading", { name: "Payment complete" }).waitFor();
  const keys = confirmsOf(opened.id).map(({ idempotencyKey }) => idempotencyKey ?? "");
  assert.equal(new Set(keys).size, 2);
  for (const key of keys) assert.match(key, /^[0-9a-f]{32}$/);
});

test("a bug of ours while paying is reported to the browser, and the form can be used on", async () => {
  const { page, complaints } = await newPage();
  await page.goto(service.open().embedUrl);
  await fillCard(page, "4242424242424242");
  await page.evaluate(() => {
    const draw = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = () => {
      crypto.getRandomValues = draw;
      throw new TypeError("a bug");
    };
  });
  await page.click(".pay");
  await page.locator(".banner").getByText("Connection lost").waitFor();
  assert.deepEqual(complaints, ["TypeError: a bug"]);
  await page.click(".pay");
  await headingIs(page, "Payment complete");
});

test("card data goes to the vault and nowhere else: no other request, no storage, no address", async () => {
  const { page, complaints } = await newPage();
  const opened = service.open();
  const before = service.requests.length;
  await page.goto(opened.embedUrl);
  await fillCard(page, "4242 4242 4242 4242");
  await page.click(".pay");
  await headingIs(page, "Payment complete");
  const seen = service.requests.slice(before);
  const withCard = seen.filter(({ body }) => body.includes("4242424242424242"));
  assert.deepEqual(
    withCard.map(({ path }) => path),
    ["/vault/cards"],
  );
  assert.deepEqual(JSON.parse(withCard[0]?.body ?? ""), {
    checkout_session_id: opened.id,
    number: "4242424242424242",
    exp_month: 12,
    exp_year: 2030,
    cvc: "123",
    name: "Ada Lovelace",
  });
  const kept = await page.evaluate(() => [
    JSON.stringify({ ...localStorage }),
    JSON.stringify({ ...sessionStorage }),
    document.cookie,
    location.href,
    document.documentElement.outerHTML,
  ]);
  assert.doesNotMatch(kept.join("\n"), /4242\s?4242/);
  assert.deepEqual(complaints, []);
});

test("after a decline the card may be corrected, and the second try pays", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(opened.embedUrl);
  await fillCard(page, "4000000000009995");
  await page.click(".pay");
  await page.getByText("has insufficient funds").first().waitFor();
  assert.equal(await page.inputValue("#number"), "4000 0000 0000 9995");
  await page.fill("#number", "4242424242424242");
  await page.click(".pay");
  await headingIs(page, "Payment complete");
  const keys = confirmsOf(opened.id).map(({ idempotencyKey }) => idempotencyKey);
  assert.equal(keys.length, 2);
  assert.notEqual(keys[0], keys[1]);
});

test("a decline that names the code puts the focus there and says so", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await fillCard(page, "4000000000000127");
  await page.click(".pay");
  await page.locator("#cvc[aria-invalid=true]").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "cvc");
  const described = await page.getAttribute("#cvc", "aria-describedby");
  assert.equal(await page.textContent(`#${described}`), "The security code is incorrect.");
});

test("a double click makes one confirm", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(opened.embedUrl);
  await fillCard(page, "4242424242424242");
  await page.dblclick(".pay");
  await headingIs(page, "Payment complete");
  assert.equal(confirmsOf(opened.id).length, 1);
});

test("an answer lost on the wire is found by looking, and nobody pays twice", async () => {
  const { page } = await newPage();
  const opened = service.open();
  opened.onConfirm = (session) => {
    succeed(session);
    return "drop";
  };
  await page.goto(opened.embedUrl);
  await fillCard(page, "4242424242424242");
  await page.click(".pay");
  await headingIs(page, "Payment complete");
  // Chromium may resend a request whose connection broke. The key makes that harmless.
  assert.equal(new Set(confirmsOf(opened.id).map(({ idempotencyKey }) => idempotencyKey)).size, 1);
});

test("a reload in the middle lands on processing, which ends by itself", async () => {
  const { page } = await newPage();
  const opened = service.open();
  opened.onConfirm = (session) => {
    session.status = "processing";
    return "answer";
  };
  await page.goto(opened.embedUrl);
  await fillCard(page, "4242424242424242");
  await page.click(".pay");
  await headingIs(page, "Your payment is being processed");
  await page.reload();
  await headingIs(page, "Your payment is being processed");
  await page.getByText("do not pay again").waitFor();
  assert.equal(await page.locator("#number").count(), 0);
  succeed(opened.session);
  await headingIs(page, "Payment complete");
});

test("on our own page the window goes to the bank's check, and who comes back sees how it went", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(opened.embedUrl);
  await page.getByRole("button", { name: "3-D Secure" }).click();
  await page.click(".pay");
  await headingIs(page, "Your bank");
  await page.goBack();
  // The back button must not trap the customer: the page asks before it redirects again.
  await headingIs(page, "Confirm with your bank");
  await page.getByRole("button", { name: "Continue to your bank" }).click();
  await headingIs(page, "Your bank");
  succeed(opened.session);
  await page.goto(opened.embedUrl);
  await headingIs(page, "Payment complete");
});

test("in a frame without the loader the check stands inside the form, and can be left after a question", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(`${service.origin}/shop`);
  await frameByHand(page, opened.embedUrl);
  const form = page.frameLocator("iframe").first();
  await form.getByRole("button", { name: "3-D Secure" }).click();
  await form.locator(".pay").click();
  const bank = form.locator(".challenge iframe");
  await bank.contentFrame().getByText("Enter the code").waitFor();
  await page.waitForTimeout(300);
  const [outside, inside] = await bank.evaluate((element: HTMLIFrameElement) => [
    element.clientHeight,
    Math.ceil(element.contentDocument?.documentElement.getBoundingClientRect().height ?? 0),
  ]);
  assert.equal(outside, inside, "it is as tall as the bank's page");
  await form.getByRole("button", { name: "Cancel payment" }).click();
  await form.getByText("Cancel this payment?").waitFor();
  await form.getByRole("button", { name: "Continue payment" }).click();
  assert.equal(opened.session.status, "requires_action");
  await form.getByRole("button", { name: "Cancel payment" }).click();
  await form.getByRole("button", { name: "Cancel payment" }).click();
  await form.getByText("You canceled the verification.").first().waitFor();
});

test("every end has its screen and the way back", async () => {
  const { page } = await newPage();
  const titles = {
    expired: "This payment page has expired",
    canceled: "This payment was canceled",
    failed: "Payment failed",
  } as const;
  for (const [status, title] of Object.entries(titles)) {
    const opened = service.open({
      status: status as keyof typeof titles,
      cancel_url: "https://shop.example/cart",
    });
    await page.goto(opened.embedUrl);
    await headingIs(page, title);
    const way = page.getByRole("link", { name: "Back to Kiosk Nord" });
    assert.equal(await way.getAttribute("href"), "https://shop.example/cart");
  }
});

test("in the last minutes a countdown runs, and at its end the page has expired", async () => {
  const { page } = await newPage();
  const opened = service.open({ expires_at: Math.floor(Date.now() / 1000) + 4 });
  await page.goto(opened.embedUrl);
  await page.getByText(/This page expires in 0:0[1-4]/).waitFor();
  await headingIs(page, "This payment page has expired");
  const calm = service.open();
  await page.goto(calm.embedUrl);
  await page.locator("#number").waitFor();
  assert.equal(await page.getByRole("timer").count(), 0);
});

test("what was paid in one tab is seen in the other", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(opened.embedUrl);
  await fillCard(page, "4242424242424242");
  succeed(opened.session);
  await page.click(".pay");
  await headingIs(page, "Payment complete");
  assert.equal(await page.textContent("[aria-live]"), "", "and nothing else is heard");
});

test("the first wrong field takes the focus, also by mouse when its words push the button down", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await page.fill("#number", "4242424242424241");
  await page.click(".pay");
  await page.getByText("Enter the security code.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "number");
  assert.equal(
    await page.textContent("[aria-live]"),
    "Please check: Card number, Expiry date, Security code, Name on card.",
  );
});

test("a name grows no longer than the vault takes, typed or pasted", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await page.locator("#name").focus();
  await page.keyboard.insertText("A".repeat(256));
  await page.keyboard.type("a");
  assert.equal(await page.inputValue("#name"), "A".repeat(200));
});

test("typing in the middle of a number keeps the caret", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await page.locator("#number").pressSequentially("4242424242424242");
  assert.equal(await page.inputValue("#number"), "4242 4242 4242 4242");
  await page.evaluate(() =>
    (document.getElementById("number") as HTMLInputElement).setSelectionRange(5, 5),
  );
  await page.keyboard.press("Backspace");
  await page.keyboard.type("19");
  assert.equal(await page.inputValue("#number"), "4241 9424 2424 2424 2");
  const caret = () =>
    page.evaluate(() => (document.getElementById("number") as HTMLInputElement).selectionStart);
  assert.equal(await caret(), 6);
});

test("a wrong address says so, and a dead service offers to try again", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(`${opened.embedUrl}_wrong`);
  await headingIs(page, "Payment not found");
  await page.route("**/embed/api/**", (route) => route.abort());
  await page.goto(service.open().embedUrl);
  await headingIs(page, "No connection");
  await page.unroute("**/embed/api/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("#number").waitFor();
});

test("when the connection comes back the form does too, without anybody pressing", async () => {
  for (const back of ["by the browser's word", "by looking again"]) {
    const { page } = await newPage();
    if (back === "by the browser's word") await page.clock.install();
    await page.route("**/embed/api/**", (route) => route.abort());
    await page.goto(service.open().embedUrl);
    await headingIs(page, "No connection");
    await page.unroute("**/embed/api/**");
    if (back === "by the browser's word") {
      // Pauses the clock, so that no scheduled retry runs.
      await page.clock.pauseAt(Date.now() + 1000);
      await page.context().setOffline(true);
      await page.context().setOffline(false);
    }
    await page.locator("#number").waitFor();
  }
});

test("without the file of words the page says so in its language, and goes on when it comes", async () => {
  const { page } = await newPage();
  const german = /\/embed\/assets\/de-/;
  await page.route(german, (route) => route.abort());
  await page.goto(service.open({ locale: "de" }).embedUrl);
  await headingIs(page, "Keine Verbindung");
  await page.getByRole("button", { name: "Noch einmal versuchen" }).waitFor();
  await page.unroute(german);
  await page.getByLabel("Kartennummer").waitFor();
});

test("a file of words that fails once is asked for again at once, and nobody notices", async () => {
  const { page } = await newPage();
  let asked = 0;
  await page.route(/\/embed\/assets\/en-/, (route) => {
    asked += 1;
    return asked === 1 ? route.abort() : route.continue();
  });
  await page.goto(service.open().embedUrl);
  await page.locator("#number").waitFor();
  assert.equal(asked, 2);
});

test("a language that cannot be had leaves the form in its own, and the rest of the choice counts", async () => {
  const { page } = await newPage();
  await page.route(/\/embed\/assets\/pl-/, (route) => route.abort());
  await page.goto(`${service.origin}/shop`);
  await page.addScriptTag({ url: `${service.origin}/embed.js` });
  const { embedUrl } = service.open();
  await page.evaluate(`mounted = Florin.mount("#pay", { embedUrl: ${JSON.stringify(embedUrl)} })`);
  const form = page.frameLocator("#pay iframe");
  await form.getByRole("button", { name: "Pay $84.50" }).waitFor();
  await page.evaluate(`mounted.update({ locale: "pl", payButton: "hidden" })`);
  await form.locator(".pay").waitFor({ state: "hidden" });
  assert.equal(await form.getByLabel("Card number").count(), 1);
});

test("nothing moves when the form takes the skeleton's place", async () => {
  for (const width of [1280, 375]) {
    const { page } = await newPage({ viewport: { width, height: 900 } });
    await page.addInitScript(() => {
      Object.assign(window, { shifts: 0 });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) {
          (window as unknown as { shifts: number }).shifts += entry.value;
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(service.open().embedUrl);
    await page.locator("#number").waitFor();
    await page.waitForTimeout(300);
    const shifts = await page.evaluate(() => (window as unknown as { shifts: number }).shifts);
    assert.ok(shifts < 0.001, `layout shift of ${shifts} at ${width} px`);
  }
});

test("in every language the form fits 320 pixels: no label breaks, nothing overflows", async () => {
  const { page } = await newPage({ viewport: { width: 320, height: 700 } });
  const broken: string[] = [];
  for (const language of languages) {
    await page.goto(service.open({ locale: language }).embedUrl);
    await page.locator("#number").waitFor();
    const found = await page.evaluate(() => ({
      dir: document.documentElement.dir,
      overflow: document.documentElement.scrollWidth - innerWidth,
      labels: [...document.querySelectorAll(".label")].filter(
        ({ clientHeight }) => clientHeight > 20,
      ).length,
    }));
    const dir = directionOf(language);
    if (found.dir !== dir || found.overflow > 0 || found.labels > 0)
      broken.push(`${language} ${JSON.stringify(found)}`);
  }
  assert.deepEqual(broken, []);
});

test("at 320 pixels nothing is cut off, and everything that is pressed is large enough", async () => {
  const { page } = await newPage({ viewport: { width: 320, height: 640 } });
  await page.goto(service.open().embedUrl);
  await page.locator("#number").waitFor();
  const measured = await page.evaluate(() => ({
    overflow: document.documentElement.scrollWidth - innerWidth,
    small: [...document.querySelectorAll("button, a, input, summary")]
      .map((element) => element.getBoundingClientRect())
      .filter(({ width, height }) => width < 24 || height < 24).length,
  }));
  assert.deepEqual(measured, { overflow: 0, small: 0 });
});
