import type { Page } from "playwright-core";
import { startBrowser } from "../../test/browser.ts";
// Declares the type of window.Florin.
import "./options.ts";

type Recorded = { events: [string, unknown][] };

/** Provides pages of a shop, and the scripted service whose form they show. */
export async function startShopPages() {
  const { service, newPage } = await startBrowser();
  /** The shop's origin. It differs from the frame's origin by the host name, although both are on this machine. */
  const shopOrigin = service.origin.replace("127.0.0.1", "localhost");
  return {
    service,
    newPage,
    shopOrigin,
    /** Opens a page of the shop and loads the embed. */
    async openShopPage(path = "/shop"): Promise<Page> {
      const { page } = await newPage();
      await page.goto(`${shopOrigin}${path}`);
      await page.addScriptTag({ url: `${service.origin}/embed.js` });
      return page;
    },
  };
}

/** Mounts a session and records all callbacks and events under the element's ID. */
export async function mount(page: Page, target: string, embedUrl: string): Promise<void> {
  await page.evaluate(
    ([into, url]) => {
      const globals = window as unknown as Record<string, Recorded>;
      const recorded: Recorded = { events: [] };
      globals[into] = recorded;
      const record = (name: string) => (detail: unknown) =>
        void recorded.events.push([name, detail]);
      window.Florin?.mount(`#${into}`, {
        session: { embed_url: url },
        onReady: record("ready") as () => void,
        onComplete: record("complete"),
        onFailed: record("failed"),
        onChange: record("change"),
        onExpired: record("expired") as () => void,
        onError: record("error"),
      });
    },
    [target, embedUrl] as const,
  );
}

export const eventsOf = (page: Page, target: string) =>
  page.evaluate(
    (into) => (window as unknown as Record<string, Recorded>)[into]?.events ?? [],
    target,
  );

export async function waitForEvent(page: Page, target: string, name: string): Promise<unknown> {
  await page.waitForFunction(
    ([into, wanted]) =>
      (window as unknown as Record<string, Recorded>)[into]?.events.some(
        ([type]) => type === wanted,
      ),
    [target, name] as const,
  );
  return (await eventsOf(page, target)).find(([type]) => type === name)?.[1];
}

export async function payInside(page: Page, target: string, number: string): Promise<void> {
  const frame = page.frameLocator(`#${target} iframe`);
  await frame.locator("#number").fill(number);
  await frame.locator("#expiry").fill("12/30");
  await frame.locator("#cvc").fill("123");
  await frame.locator("#name").fill("Ada Lovelace");
  await frame.locator(".pay").click();
}
