import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Order } from "./order.ts";

/** A rejected form, with the HTTP status of the response. */
export class InvalidForm extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  // Rejects forms of other sites, which could change a customer's cart. Browsers report in `Sec-Fetch-Site` whether the
  // request comes from the shop's pages.
  const site = request.headers["sec-fetch-site"] ?? "same-origin";
  if (site !== "same-origin")
    throw new InvalidForm(
      403,
      "The form was submitted from another site. Submit the form in the shop.",
    );
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 10_000)
      throw new InvalidForm(413, "The form is too large. Shorten your input.");
  }
  return new URLSearchParams(text);
}

export function cartIdOf(request: IncomingMessage): string | undefined {
  return /(?:^|;\s*)bag=(order_[0-9a-f]{32})/.exec(request.headers.cookie ?? "")?.[1];
}

/** Stores the cart's ID in a cookie. `SameSite=Lax` keeps the cart of a customer who returns from Florin's page. */
export function setCartCookie(shopUrl: string, response: ServerResponse, order: Order): void {
  const secure = shopUrl.startsWith("https:") ? "; Secure" : "";
  response.setHeader(
    "set-cookie",
    `bag=${order.id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000${secure}`,
  );
}

export function redirect(response: ServerResponse, to: string): void {
  // 303 makes the browser fetch the next page with GET, so that a reload does not post the form again.
  response.writeHead(303, { location: to }).end();
}

export function send(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(page);
}

const fileTypes: Record<string, string> = {
  "shop.css": "text/css; charset=utf-8",
  "live.js": "text/javascript; charset=utf-8",
  "pay.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

export function sendFile(response: ServerResponse, name: string): boolean {
  const type = Object.hasOwn(fileTypes, name) ? fileTypes[name] : undefined;
  if (type === undefined) return false;
  response.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  response.end(readFileSync(new URL(`public/${name}`, import.meta.url)));
  return true;
}
