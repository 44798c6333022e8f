import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { addToBag, payInFrame } from "./customer.ts";
import { journey } from "./journey.ts";
import { florin } from "./running-florin.ts";

journey(
  "a page outside allowed_origins gets no card form and receives an error with the reason",
  async (customer) => {
    const shop = await addToBag(customer);
    await payInFrame(shop);
    const stolen = (await shop.locator("#pay iframe").getAttribute("src")) ?? "";

    const page = await customer.newPage();
    await page.goto(`${foreignOrigin}/?embed_url=${encodeURIComponent(stolen)}`);
    await page.waitForFunction(() => document.title !== "A foreign page");
    assert.match(await page.title(), /^frame_unresponsive: .*allowed_origins/);
    assert.equal(await page.frameLocator("iframe").locator("input").count(), 0);
  },
);

/** An origin that is not in `allowed_origins`. Its port differs from the port of the shop's origin. */
const foreignOrigin = await openForeignPage();

async function openForeignPage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html>
      <title>A foreign page</title>
      <div id="pay"></div>
      <script src="${florin.url}/embed.js"></script>
      <script>
        const embedUrl = new URLSearchParams(location.search).get("embed_url");
        Florin.mount("#pay", {
          embedUrl,
          onReady: () => { document.title = "ready"; },
          onError: ({ code, message }) => { document.title = code + ": " + message; },
        });
      </script>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.closeAllConnections());
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
