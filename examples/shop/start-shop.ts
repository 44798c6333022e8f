import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConnectionError, Florin, FlorinError } from "@florin/sdk";
import { reopenCart, sessionFor } from "./checkout.ts";
import { html } from "./html.ts";
import {
  cartIdOf,
  InvalidForm,
  readForm,
  redirect,
  send,
  sendFile,
  setCartCookie,
} from "./http.ts";
import { maxQuantity, newOrder, type Order, withQuantity } from "./order.ts";
import { OrderStore } from "./order-store.ts";
import {
  cartPage,
  catalogPage,
  type Dashboard,
  messagePage,
  orderPage,
  orderStatus,
  payPage,
  type ReturnedFrom,
  webhookList,
  webhooksPage,
} from "./pages.ts";
import { receiveWebhook } from "./receive-webhook.ts";

export type ShopOptions = {
  /** The address to listen on. Defaults to loopback, because other machines must not reach the list of webhooks. */
  host?: string | undefined;
  port: number;
  florinUrl: string;
  secretKey: string;
  webhookSecret: string;
  /** The public URL of the shop. Defaults to `http://localhost` with the port. */
  shopUrl?: string | undefined;
  /** The directory in which orders are stored. If it is not set, orders are in memory only. */
  dataDirectory?: string | undefined;
};

type Shop = {
  readonly florin: Florin;
  readonly florinUrl: string;
  readonly orders: OrderStore;
  readonly webhookSecret: string;
  readonly isTest: boolean;
  url: string;
};

type RequestContext = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** The order whose ID is in the customer's cookie. */
  readonly cart: Order | undefined;
};

export async function startShop(options: ShopOptions) {
  const florinUrl = options.florinUrl.replace(/\/+$/, "");
  const shop: Shop = {
    florinUrl,
    // A customer waits for the response and can press the button again, so an early error page is better than a long
    // wait.
    florin: new Florin(options.secretKey, { baseUrl: florinUrl, timeoutMs: 10_000, maxRetries: 1 }),
    orders: new OrderStore(options.dataDirectory),
    webhookSecret: options.webhookSecret,
    isTest: /^[rs]k_test_/.test(options.secretKey),
    url: "",
  };
  const server = createServer((request, response) => void serve(shop, request, response));
  // Browsers open connections before they need them. After a timeout, Node would send a 408 response on an unused
  // connection, and the browser would show that response as the next page.
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
    const cart = shop.orders.find(cartIdOf(request));
    await route(shop, { request, response, url, cart });
  } catch (error) {
    sendErrorPage(shop, response, error);
  }
}

/**
 * Returns the headers of every response. The Content-Security-Policy allows only the shop's origin and no inline
 * scripts. Florin's origin is also allowed for the script, for the frame, and in `form-action`, which browsers also
 * apply to the redirect after a form.
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

async function route(shop: Shop, context: RequestContext): Promise<void> {
  const { request, response, url, cart } = context;
  const [, section = "", id, action] = url.pathname.split("/");
  const key = `${request.method} /${section}`;
  switch (key) {
    case "GET /":
      return send(response, 200, catalogPage(cart));
    case "GET /cart":
      if (cart?.status === "awaiting_payment") return redirect(response, `/orders/${cart.id}`);
      return send(response, 200, cartPage(cart, shop.isTest));
    case "POST /cart":
      return changeCart(shop, context);
    case "POST /webhooks":
      response.writeHead(await receiveWebhook(request, shop)).end();
      return;
    case "GET /webhooks":
      // This is a demonstration. A real shop would not show its webhooks to every visitor.
      if (id === "updates") return sendUpdates(shop, context, null);
      return send(response, 200, webhooksPage(shop.orders.received(), cart));
    case "GET /orders":
    case "POST /orders": {
      const order = shop.orders.find(id);
      if (order) return serveOrder(shop, context, order, `${request.method} ${action ?? ""}`);
      break;
    }
    default:
      if (request.method === "GET" && sendFile(response, section)) return;
  }
  send(response, 404, messagePage("Page not found", "This page does not exist or has moved."));
}

async function changeCart(
  shop: Shop,
  { request, response, url, cart }: RequestContext,
): Promise<void> {
  const form = await readForm(request);
  const product = form.get("product") ?? "";
  // An order that waits for payment becomes the cart again. If the order is paid or a payment is in progress, the
  // product is added to a new cart.
  const order = (cart && (await reopenCart(cart, shop))) ?? newOrder();
  const current = order.lines[product] ?? 0;
  const quantity = url.pathname === "/cart/add" ? current + 1 : Number(form.get("quantity"));
  shop.orders.save(withQuantity(order, product, Math.min(quantity, maxQuantity)));
  setCartCookie(shop.url, response, order);
  redirect(response, "/cart");
}

async function serveOrder(
  shop: Shop,
  context: RequestContext,
  order: Order,
  key: string,
): Promise<void> {
  const { request, response, url } = context;
  switch (key) {
    case "GET ":
      if (order.status === "cart") return redirect(response, "/cart");
      return send(
        response,
        200,
        orderPage(order, shop.orders.received(order.id), returnedFrom(url), dashboardOf(shop)),
      );
    case "GET updates":
      return sendUpdates(shop, context, order.id);
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
      setCartCookie(shop.url, response, order);
      return redirect(response, "/cart");
    }
    default:
      return send(response, 404, messagePage("Page not found", "This page does not exist."));
  }
}

function returnedFrom(url: URL): ReturnedFrom {
  const from = url.searchParams.get("from");
  return from === "success" || from === "cancel" ? from : null;
}

/**
 * Returns the target of the link to the dashboard. Returns null in live mode, because the link is for the merchant and
 * not for customers.
 */
function dashboardOf({ isTest, florinUrl }: Shop): Dashboard {
  return isTest ? { florinUrl } : null;
}

/** Sends the changing parts of a page as server-sent events. If `orderId` is null, sends the webhooks of all orders. */
function sendUpdates(
  shop: Shop,
  { request, response, url }: RequestContext,
  orderId: string | null,
): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const sendParts = () => {
    const order = shop.orders.find(orderId ?? undefined);
    const parts = {
      ...(order && { status: orderStatus(order, returnedFrom(url), dashboardOf(shop)).text }),
      webhooks: webhookList(shop.orders.received(orderId ?? undefined)).text,
    };
    response.write(`data: ${JSON.stringify(parts)}\n\n`);
  };
  sendParts();
  const unwatch = shop.orders.watch(
    (changed) => (orderId === null || changed === orderId) && sendParts(),
  );
  // Prevents proxies from closing the connection as idle.
  const heartbeat = setInterval(() => response.write(":\n\n"), 20_000);
  request.on("close", () => {
    clearInterval(heartbeat);
    unwatch();
  });
}

/** Logs the error, and sends an error page to the customer. */
function sendErrorPage(shop: Shop, response: ServerResponse, error: unknown): void {
  console.error(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, title, text } = errorForCustomer(error);
  const details = error instanceof FlorinError && [error.code, error.message, error.requestId];
  const aside =
    details && shop.isTest
      ? html`<p class="aside">For the developer: <code>${details.filter(Boolean).join(" · ")}</code></p>`
      : html``;
  send(response, status, messagePage(title, text, aside));
}

function errorForCustomer(error: unknown): { status: number; title: string; text: string } {
  if (error instanceof InvalidForm) {
    return { status: error.status, title: "Invalid request", text: error.message };
  }
  if (!(error instanceof FlorinError)) {
    const text = "The error is on our side. You were not charged.";
    return { status: 500, title: "Something went wrong", text };
  }
  const isTemporary =
    error instanceof ConnectionError || error.status === 429 || error.status >= 500;
  return {
    status: isTemporary ? 503 : 502,
    title: "Payment unavailable",
    text: isTemporary
      ? "The payment service cannot be reached right now. You were not charged, and your order is saved. Try again in a minute."
      : "The payment could not be started. You were not charged, and your order is saved. Try again later.",
  };
}
