import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Order } from "./order.ts";

/** A form that is not to be taken, and the status that says so. */
export class BadForm extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  // Another site's form would carry our customer's cookie; browsers say where a request comes from.
  const site = request.headers["sec-fetch-site"] ?? "same-origin";
  if (site !== "same-origin") throw new BadForm(403, "The form came from another site.");
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 10_000) throw new BadForm(413, "The form is too long.");
  }
  return new URLSearchParams(text);
}

export function cookieOf(request: IncomingMessage): string | undefined {
  return /(?:^|;\s*)bag=(order_[0-9a-f]{32})/.exec(request.headers.cookie ?? "")?.[1];
}

/** `Lax`, so that the customer who comes back from Florin's page still has the bag. */
export function rememberCart(shopUrl: string, response: ServerResponse, order: Order): void {
  const secure = shopUrl.startsWith("https:") ? "; Secure" : "";
  response.setHeader(
    "set-cookie",
    `bag=${order.id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000${secure}`,
  );
}

export function redirect(response: ServerResponse, to: string): void {
  // 303: whatever was posted, the next page is fetched, and a reload posts nothing again.
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
