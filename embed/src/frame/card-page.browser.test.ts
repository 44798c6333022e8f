import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { startBrowser } from "../../test/browser.ts";
import { succeed } from "../../test/scripted-service.ts";
import { directionOf, languages } from "./locales/choose-locale.ts";

const { service, newPage } = await startBrowser();

async function fillCard(page: Page, number: string): Promise<void> {
  await page.fill("#number", number);
  await page.fill("#expiry", "12/30");
  await page.fill("#cvc", "123");
  await page.fill("#name", "Ada Lovelace");
}

/** Embeds the card form in a frame, as a page without the loader would. */
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
/** Returns whether the element appears within the timeout. */
const isShown = (page: Page, selector: string, timeout: number): Promise<boolean> =>
  page
    .locator(selector)
    .waitFor({ timeout })
    .then(
      () => true,
      () => false,
    );

/** Disconnects the page, and connects it again. */
async function toggleOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.context().setOffline(false);
}

const confirmsOf = (id: string) =>
  service.requests.filter(({ path }) => path.endsWith(`${id}/confirm`));

test("a customer pays, sees the result, and is redirected to the shop", async () => {
  const { page, complaints: messages } = await newPage();
  const opened = service.open({
    success_url: `${service.origin}/thanks?session=7`,
  });
  await page.goto(opened.embedUrl);
  await page.getByRole("button", { name: "Pay $84.50" }).waitFor();
  await fillCard(page, "4242424242424242");
  await page.click(".pay");
  await headingIs(page, "Payment complete");
  await page.waitForURL(`${service.origin}/thanks?session=7`);
  // There was no CSP violation, no Trusted Types error and no other console output.
  assert.deepEqual(messages, []);
});

test("a live session on a sandbox has a sandbox note on the page and in a frame, and offers no test cards", async () => {
  const { page } = await newPage();
  const opened = service.open({ livemode: true, sandbox: true });
  await page.goto(opened.embedUrl);
  await page.locator(".summary").getByText("Sandbox", { exact: true }).waitFor();
  await page.getByText("Sandbox No money moves.").waitFor();
  assert.equal(await page.locator(".chip").count(), 0);
  await frameByHand(page, opened.embedUrl);
  await page.frameLocator("iframe").getByText("Sandbox No money moves.").waitFor();

  await page.goto(service.open({ livemode: true }).embedUrl);
  await page.getByRole("button", { name: "Pay $84.50" }).waitFor();
  assert.equal(await page.locator(".badge").count(), 0);
});

test("payment works from a plain http shop, with a separate idempotency key for each attempt", async () => {
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

test("an exception during payment is reported to the browser and the form stays usable", async () => {
  const { page, complaints: messages } = await newPage();
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
  assert.deepEqual(messages, ["TypeError: a bug"]);
  await page.click(".pay");
  await headingIs(page, "Payment complete");
});

test("card data is sent to the vault only and never appears in other requests, storage or URLs", async () => {
  const { page, complaints: messages } = await newPage();
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
  const stored = await page.evaluate(() => [
    JSON.stringify({ ...localStorage }),
    JSON.stringify({ ...sessionStorage }),
    document.cookie,
    location.href,
    document.documentElement.outerHTML,
  ]);
  assert.doesNotMatch(stored.join("\n"), /4242\s?4242/);
  assert.deepEqual(messages, []);
});

test("after a decline the customer corrects the card and the second attempt succeeds", async () => {
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

test("a decline because of the CVC focuses the CVC field and shows the reason", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await fillCard(page, "4000000000000127");
  await page.click(".pay");
  await page.locator("#cvc[aria-invalid=true]").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "cvc");
  const described = await page.getAttribute("#cvc", "aria-describedby");
  assert.equal(await page.textContent(`#${described}`), "The security code is incorrect.");
});

test("a double click sends one confirm request", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(opened.embedUrl);
  await fillCard(page, "4242424242424242");
  await page.dblclick(".pay");
  await headingIs(page, "Payment complete");
  assert.equal(confirmsOf(opened.id).length, 1);
});

test("a lost response is recovered by reading the session, and the customer is charged once", async () => {
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
  // Chromium may resend a request after a broken connection. The idempotency key makes that harmless.
  assert.equal(new Set(confirmsOf(opened.id).map(({ idempotencyKey }) => idempotencyKey)).size, 1);
});

test("a reload during payment shows the processing screen until the payment ends", async () => {
  const { page } = await newPage();
  const opened = service.open();
  opened.onConfirm = (session) => {
    session.status = "processing";
    return "respond";
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

test("the hosted page redirects to the challenge, and shows the outcome on return", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(opened.embedUrl);
  await page.getByRole("button", { name: "3-D Secure" }).click();
  await page.click(".pay");
  await headingIs(page, "Your bank");
  await page.goBack();
  // The back button must not trap the customer, so the page shows a button instead of redirecting again.
  await headingIs(page, "Confirm with your bank");
  await page.getByRole("button", { name: "Continue to your bank" }).click();
  await headingIs(page, "Your bank");
  succeed(opened.session);
  await page.goto(opened.embedUrl);
  await headingIs(page, "Payment complete");
});

test("in a frame without the loader the challenge runs inside the form and is canceled only after a confirmation", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(`${service.origin}/shop`);
  await frameByHand(page, opened.embedUrl);
  const form = page.frameLocator("iframe").first();
  await form.getByRole("button", { name: "3-D Secure" }).click();
  await form.locator(".pay").click();
  const bank = form.locator(".challenge iframe");
  await bank.contentFrame().getByText("Enter the code").waitFor();
  // Waits until the frame has the height of the issuer's page.
  await bank.evaluate(
    (element: HTMLIFrameElement) =>
      new Promise<void>((resolve) => {
        const check = () => {
          const content = element.contentDocument?.documentElement.getBoundingClientRect();
          if (element.clientHeight === Math.ceil(content?.height ?? 0)) resolve();
          else requestAnimationFrame(check);
        };
        check();
      }),
  );
  await form.getByRole("button", { name: "Cancel payment" }).click();
  await form.getByText("Cancel this payment?").waitFor();
  assert.equal(await bank.evaluate((element) => element.matches("[inert]")), true);
  await form.getByRole("button", { name: "Continue payment" }).click();
  assert.equal(await bank.evaluate((element) => element.matches("[inert]")), false);
  assert.equal(opened.session.status, "requires_action");
  await form.getByRole("button", { name: "Cancel payment" }).click();
  await form.getByRole("button", { name: "Cancel payment" }).click();
  await form.getByText("You canceled the verification.").first().waitFor();
});

test("every final status has its own screen and a link back", async () => {
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

test("a countdown runs during the last minutes, and then the page shows that the session has expired", async () => {
  const { page } = await newPage();
  const opened = service.open({ expires_at: Math.floor(Date.now() / 1000) + 9 });
  await page.goto(opened.embedUrl);
  await page.getByText(/This page expires in 0:0[1-9]/).waitFor();
  await headingIs(page, "This payment page has expired");
  const calm = service.open();
  await page.goto(calm.embedUrl);
  await page.locator("#number").waitFor();
  assert.equal(await page.getByRole("timer").count(), 0);
});

test("a payment in one tab is shown in the other tab", async () => {
  const { page } = await newPage();
  const opened = service.open();
  await page.goto(opened.embedUrl);
  await fillCard(page, "4242424242424242");
  succeed(opened.session);
  await page.click(".pay");
  await headingIs(page, "Payment complete");
  assert.equal(await page.textContent("[aria-live]"), "", "nothing else is announced");
});

test("submit focuses the first invalid field, even if error messages move the button under the mouse", async () => {
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

test("the name field is limited to what the vault accepts, typed or pasted", async () => {
  const { page } = await newPage();
  await page.goto(service.open().embedUrl);
  await page.locator("#name").focus();
  await page.keyboard.insertText("A".repeat(256));
  await page.keyboard.type("a");
  assert.equal(await page.inputValue("#name"), "A".repeat(200));
});

test("typing in the middle of a card number keeps the caret in place", async () => {
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

test("an unknown URL shows an error, and an unreachable server offers a retry", async () => {
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

test("the form reappears automatically when the connection is restored", async () => {
  for (const back of ["online event", "polling"]) {
    const { page } = await newPage();
    if (back === "online event") await page.clock.install();
    await page.route("**/embed/api/**", (route) => route.abort());
    await page.goto(service.open().embedUrl);
    await headingIs(page, "No connection");
    await page.unroute("**/embed/api/**");
    if (back === "online event") {
      // Pauses the clock, so that no scheduled retry runs.
      await page.clock.pauseAt(Date.now() + 60_000);
      // Chromium can report that it is online although it does not yet send requests. The first request then fails, so
      // the test toggles the connection again.
      await toggleOffline(page);
      if (!(await isShown(page, "#number", 5_000))) await toggleOffline(page);
    }
    await page.locator("#number").waitFor();
  }
});

test("without its translation file the page reports the error in its language and continues when the file loads", async () => {
  const { page } = await newPage();
  const german = /\/embed\/assets\/de-/;
  await page.route(german, (route) => route.abort());
  await page.goto(service.open({ locale: "de" }).embedUrl);
  await headingIs(page, "Keine Verbindung");
  await page.getByRole("button", { name: "Noch einmal versuchen" }).waitFor();
  await page.unroute(german);
  await page.getByLabel("Kartennummer").waitFor();
});

test("a translation file that fails to load once is retried immediately, without a visible error", async () => {
  const { page } = await newPage();
  let requested = 0;
  await page.route(/\/embed\/assets\/en-/, (route) => {
    requested += 1;
    return requested === 1 ? route.abort() : route.continue();
  });
  await page.goto(service.open().embedUrl);
  await page.locator("#number").waitFor();
  assert.equal(requested, 2);
});

test("if a translation cannot be loaded the form keeps its language and applies the other options", async () => {
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

test("replacing the skeleton with the form causes no layout shift", async () => {
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

test("the largest amount fits its column on one line in every language, on a desktop and on a narrow phone", async () => {
  const { page } = await newPage();
  const problems: string[] = [];
  for (const [locale, currency] of languages.flatMap((language) =>
    ["kwd", "jpy"].map((currency) => [language, currency] as const),
  )) {
    const opened = service.open({ amount: 999_999_999_999, currency });
    const [url, fragment] = opened.embedUrl.split("#");
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.goto(`${url}?locale=${locale}#${fragment}`);
    await page.locator("h1 .amount").waitFor();
    // Measures both widths in one visit, because only CSS depends on the width.
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 844 });
      const found = await page.evaluate(() => {
        const amount = document.querySelector("h1 .amount") as HTMLElement;
        const text = document.createRange();
        text.selectNodeContents(amount);
        const inner = text.getBoundingClientRect();
        const outer = (document.querySelector(".summary") as HTMLElement).getBoundingClientRect();
        return {
          fits: inner.left >= outer.left - 1 && inner.right <= outer.right + 1,
          lines: Math.round(inner.height / Number.parseFloat(getComputedStyle(amount).fontSize)),
          fontSize: Number.parseFloat(getComputedStyle(amount).fontSize),
          width: innerWidth,
          overflow: document.documentElement.scrollWidth - innerWidth,
        };
      });
      assert.equal(found.width, width);
      if (!found.fits || found.lines > 1 || found.fontSize < 18 || found.overflow > 0)
        problems.push(`${locale} ${currency} at ${width}: ${JSON.stringify(found)}`);
    }
  }
  assert.deepEqual(problems, []);
});

test("in every language the form fits 320 pixels without broken labels or overflow", async () => {
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

test("in every language a session of mode setup shows its button and the consent, fits 320 pixels, and shows no amount", async () => {
  const { page } = await newPage({ viewport: { width: 320, height: 700 } });
  const seen = new Set<string>();
  for (const language of languages) {
    await page.goto(service.open({ mode: "setup", amount: 0, locale: language }).embedUrl);
    await page.locator("#number").waitFor();
    const button = (await page.locator(".pay").textContent()) ?? "";
    const consent = (await page.locator(".agreement").textContent()) ?? "";
    assert.match(consent, /Kiosk Nord/, language);
    assert.equal(
      await page
        .locator("main")
        .getByText(/\d[.,]\d\d/)
        .count(),
      0,
      language,
    );
    assert.equal(await page.locator(".amount").count(), 0, language);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${language}: ${overflow}`);
    seen.add(`${button} ${consent}`);
  }
  assert.equal(seen.size, languages.length);
});

test("at 320 pixels nothing is cut off and every control meets the minimum target size", async () => {
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
