import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConnectionError, Florin, FlorinError } from "@florin/sdk";
import { reopenCart, sessionFor } from "./checkout.ts";
import { BadForm, cookieOf, readForm, redirect, rememberCart, send, sendFile } from "./exchange.ts";
import { html } from "./html.ts";
import { maxQuantity, newOrder, type Order, withQuantity } from "./order.ts";
import { OrderBook } from "./order-book.ts";
import {
  type CameFrom,
  cartPage,
  messagePage,
  orderPage,
  orderStatus,
  payPage,
  shelfPage,
  webhookList,
  webhooksPage,
} from "./pages.ts";
import { receiveWebhook } from "./receive-webhook.ts";

export type ShopOptions = {
  /**
   * The address to listen on. Defaults to loopback, because the page of webhooks must not be open to a whole network.
   */
  host?: string | undefined;
  port: number;
  florinUrl: string;
  secretKey: string;
  webhookSecret: string;
  /** The public URL of the shop. Defaults to this machine's own address. */
  shopUrl?: string | undefined;
  /** The directory of the orders. Without one they are kept in memory only. */
  dataDirectory?: string | undefined;
};

type Shop = {
  readonly florin: Florin;
  readonly florinUrl: string;
  readonly orders: OrderBook;
  readonly webhookSecret: string;
  readonly isTest: boolean;
  url: string;
};

type Visit = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** The order in the customer's cookie. */
  readonly cart: Order | undefined;
};

export async function startShop(options: ShopOptions) {
  const florinUrl = options.florinUrl.replace(/\/+$/, "");
  const shop: Shop = {
    florinUrl,
    // A customer waits for the response and can press the button again, so an early error page is better than a long
    // wait.
    florin: new Florin(options.secretKey, { baseUrl: florinUrl, timeoutMs: 10_000, maxRetries: 1 }),
    orders: new OrderBook(options.dataDirectory),
    webhookSecret: options.webhookSecret,
    isTest: /^[rs]k_test_/.test(options.secretKey),
    url: "",
  };
  const server = createServer((request, response) => void serve(shop, request, response));
  // Browsers connect in advance. Node would send "408" on such a connection, and the browser would show it as the next
  // page.
  server.on("clientError", (_error, socket) => socket.destroy());
  server.listen(options.port, options.host ?? "127.0.0.1");
  await once(server, "listening");
  const { address, port } = server.address() as AddressInfo;
  shop.url = (options.shopUrl ?? `http://localhost:${port}`).replace(/\/+$/, "");
  return {
    url: shop.url,
    address,
    port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections(); // event streams stay open until the server closes them
      await closed;
    },
  };
}

async function serve(
  shop: Shop,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    for (const [name, value] of headersOf(shop)) response.setHeader(name, value);
    const url = new URL(request.url ?? "/", shop.url);
    const cart = shop.orders.find(cookieOf(request));
    await route(shop, { request, response, url, cart });
  } catch (error) {
    fail(shop, response, error);
  }
}

/**
 * The headers that a merchant's page needs for Florin: its script, its frame and, because browsers apply it to a form's
 * redirect too, `form-action`. Everything else is the shop's own, and no page has an inline script.
 */
function headersOf(shop: Shop): [string, string][] {
  const florin = new URL(shop.florinUrl).origin;
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${florin}`,
    `frame-src ${florin}`,
    `form-action 'self' ${florin}`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return [
    ["content-security-policy", policy.join("; ")],
    // The URL of an order gives access to it, so other sites must not receive it as the referrer.
    ["referrer-policy", "same-origin"],
    ["x-content-type-options", "nosniff"],
  ];
}

async function route(shop: Shop, visit: Visit): Promise<void> {
  const { request, response, url, cart } = visit;
  const [, room = "", id, action] = url.pathname.split("/");
  const key = `${request.method} /${room}`;
  switch (key) {
    case "GET /":
      return send(response, 200, shelfPage(cart));
    case "GET /cart":
      if (cart?.status === "awaiting_payment") return redirect(response, `/orders/${cart.id}`);
      return send(response, 200, cartPage(cart, shop.isTest));
    case "POST /cart":
      return changeCart(shop, visit);
    case "POST /webhooks":
      response.writeHead(await receiveWebhook(request, shop)).end();
      return;
    case "GET /webhooks":
      // This is a demonstration. A real shop would not show its webhooks to every visitor.
      if (id === "updates") return sendUpdates(shop, visit, null);
      return send(response, 200, webhooksPage(shop.orders.received(), cart));
    case "GET /orders":
    case "POST /orders": {
      const order = shop.orders.find(id);
      if (order) return serveOrder(shop, visit, order, `${request.method} ${action ?? ""}`);
      break;
    }
    default:
      if (request.method === "GET" && sendFile(response, room)) return;
  }
  send(response, 404, messagePage("Page not found", "This page does not exist or has moved."));
}

async function changeCart(shop: Shop, { request, response, url, cart }: Visit): Promise<void> {
  const form = await readForm(request);
  const product = form.get("product") ?? "";
  // An order that waits for payment becomes the cart again. If it is paid or a payment is in progress, the next product
  // starts a new cart.
  const order = (cart && (await reopenCart(cart, shop))) ?? newOrder();
  const had = order.lines[product] ?? 0;
  const quantity = url.pathname === "/cart/add" ? had + 1 : Number(form.get("quantity"));
  shop.orders.save(withQuantity(order, product, Math.min(quantity, maxQuantity)));
  rememberCart(shop.url, response, order);
  redirect(response, "/cart");
}

async function serveOrder(shop: Shop, visit: Visit, order: Order, key: string): Promise<void> {
  const { request, response, url } = visit;
  switch (key) {
    case "GET ":
      if (order.status === "cart") return redirect(response, "/cart");
      return send(response, 200, orderPage(order, shop.orders.received(order.id), cameFrom(url)));
    case "GET updates":
      return sendUpdates(shop, visit, order.id);
    case "POST checkout": {
      const form = await readForm(request);
      if (Object.keys(order.lines).length === 0) return redirect(response, "/cart");
      const session = await sessionFor(order, shop);
      if (!session) return redirect(response, `/orders/${order.id}?from=success`);
      return redirect(
        response,
        form.get("way") === "page" ? session.embedUrl : `/orders/${order.id}/pay`,
      );
    }
    case "GET pay":
      if (order.status === "paid" || !order.session)
        return redirect(response, `/orders/${order.id}`);
      return send(
        response,
        200,
        payPage(order, shop.florinUrl, order.session.embedUrl, shop.isTest),
      );
    case "POST reopen": {
      await readForm(request);
      if (!(await reopenCart(order, shop))) return redirect(response, `/orders/${order.id}`);
      rememberCart(shop.url, response, order);
      return redirect(response, "/cart");
    }
    default:
      return send(response, 404, messagePage("Page not found", "This page does not exist."));
  }
}

function cameFrom(url: URL): CameFrom {
  const from = url.searchParams.get("from");
  return from === "success" || from === "cancel" ? from : null;
}

/** Sends the changing parts of the page as server-sent events, now and after every change. Null means all orders. */
function sendUpdates(shop: Shop, { request, response, url }: Visit, orderId: string | null): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const push = () => {
    const order = shop.orders.find(orderId ?? undefined);
    const parts = {
      ...(order && { status: orderStatus(order, cameFrom(url)).text }),
      webhooks: webhookList(shop.orders.received(orderId ?? undefined)).text,
    };
    response.write(`data: ${JSON.stringify(parts)}\n\n`);
  };
  push();
  const stop = shop.orders.watch((changed) => (orderId === null || changed === orderId) && push());
  // Proxies close idle connections.
  const heartbeat = setInterval(() => response.write(":\n\n"), 20_000);
  request.on("close", () => {
    clearInterval(heartbeat);
    stop();
  });
}

/** Reports an error: to the customer on a page, to the developer in the log. */
function fail(shop: Shop, response: ServerResponse, error: unknown): void {
  console.error(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, title, words } = inPlainWords(error);
  const details = error instanceof FlorinError && [error.code, error.message, error.requestId];
  const aside =
    details && shop.isTest
      ? html`<p class="aside">For the developer: <code>${details.filter(Boolean).join(" · ")}</code></p>`
      : html``;
  send(response, status, messagePage(title, words, aside));
}

function inPlainWords(error: unknown): { status: number; title: string; words: string } {
  if (error instanceof BadForm) {
    return { status: error.status, title: "Invalid request", words: error.message };
  }
  if (!(error instanceof FlorinError)) {
    const words = "The error is on our side. You were not charged.";
    return { status: 500, title: "Something went wrong", words };
  }
  const isIdle = error instanceof ConnectionError || error.status === 429 || error.status >= 500;
  return {
    status: isIdle ? 503 : 502,
    title: "Payment unavailable",
    words: isIdle
      ? "The payment service cannot be reached right now. You were not charged, and your order is saved. Try again in a minute."
      : "The payment could not be started. You were not charged, and your order is saved.",
  };
}
