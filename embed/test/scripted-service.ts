import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { EndedFrameSession, FrameSession } from "@florin/contract/frame.ts";
import { frameDocument } from "../src/frame/document.ts";
import { acceptedTags } from "../src/frame/locales/choose-locale.ts";
import {
  googlePayDocument,
  googlePayPolicy,
  googlePayScriptPath,
} from "../src/google-pay/document.ts";
import { type BuiltEmbed, builtEmbed } from "./built-embed.ts";

/**
 * Serves the built files over HTTP with the service's headers. The test chooses the API responses, such as a lost
 * response or a session that expires between two clicks. The journeys run against the real service.
 */
export type ScriptedService = {
  readonly origin: string;
  /** The second origin, which serves the page with Google Pay's button for every session. */
  readonly walletsOrigin: string;
  /** Adds a session. Returns the session with the URL of its card form. */
  open(fields?: Partial<ScriptedSession>): Opened;
  /** All API requests so far, in order. */
  readonly requests: SeenRequest[];
  close(): Promise<void>;
};

export type ScriptedSession = FrameSession & { allowed_origins: string[] };
export type SeenRequest = {
  method: string;
  path: string;
  idempotencyKey: string | null;
  body: string;
};

export type Opened = {
  readonly id: ScriptedSession["id"];
  readonly embedUrl: string;
  readonly session: ScriptedSession;
  /** The result of the next confirm request. By default, the card number decides the result, as in test mode. */
  onConfirm:
    | ((session: ScriptedSession) => Promise<"respond" | "drop"> | "respond" | "drop")
    | null;
};

const secret = "cs_secret_of_the_test";
const crockford = "0123456789abcdefghjkmnpqrstvwxyz";

export async function startScriptedService(): Promise<ScriptedService> {
  const built = await builtEmbed();
  const sessions = new Map<string, Opened>();
  const cards = new Map<string, string>();
  const requests: SeenRequest[] = [];

  const server = createServer((request, response) => {
    void handleRequest({ built, sessions, cards, requests }, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    walletsOrigin: `http://localhost:${port}`,
    requests,
    open(fields = {}) {
      const id = `cs_0${[...randomUUID().replaceAll("-", "").slice(0, 25)].map((l) => crockford[Number.parseInt(l, 16)]).join("")}`;
      const session = { ...createSession(id as `cs_${string}`), ...fields };
      const opened: Opened = {
        id: session.id,
        embedUrl: `${origin}/embed/${session.id}#${secret}`,
        session,
        onConfirm: null,
      };
      sessions.set(session.id, opened);
      return opened;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function createSession(id: `cs_${string}`): ScriptedSession {
  const now = Math.floor(Date.now() / 1000);
  return {
    id,
    mode: "payment",
    status: "open",
    payment_status: "unpaid",
    amount: 8450,
    currency: "usd",
    livemode: false,
    merchant_name: "Kiosk Nord",
    logo_path: null,
    support_email: null,
    support_phone: null,
    description: null,
    line_items: null,
    customer_email: null,
    locale: "en-US",
    expires_at: now + 86_400,
    success_url: null,
    cancel_url: null,
    return_url: null,
    allowed_origins: ["http://127.0.0.1:*", "http://localhost:*"],
    save_payment_method: false,
    co_badged: [],
    saved_cards: [],
    wallets: [],
    attempts: 0,
    max_attempts: 5,
    last_payment_error: null,
    next_action: null,
    server_time: now,
  };
}

type ServiceState = {
  built: BuiltEmbed;
  sessions: Map<string, Opened>;
  cards: Map<string, string>;
  requests: SeenRequest[];
};

async function handleRequest(
  state: ServiceState,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { pathname: path, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  if (path === "/embed.js") return sendFile(response, join(state.built.outdir, "embed.js"));
  if (/^\/embed\/(assets|loader)\//.test(path)) {
    return sendFile(response, join(state.built.outdir, path.slice("/embed/".length)));
  }
  if (path === "/challenge/bank") return sendHtml(response, bankPage, {});
  if (path === "/snippet") return sendHtml(response, snippetPage(searchParams), {});
  if (request.headers.host?.startsWith("localhost:")) {
    if (path.startsWith("/google_pay/")) return sendGooglePayPage(state, request, response);
    if (path === googlePayScriptPath(state.built.manifest)) {
      return sendFile(response, join(state.built.outdir, path));
    }
  }
  const framed = /^\/embed\/(cs_\w+)$/.exec(path);
  if (framed) return sendFrame(state, request, response, framed[1] as string);
  if (path.startsWith("/embed/api/") || path.startsWith("/vault/"))
    return api(state, request, response, path);
  // Every path that is not handled above returns the merchant's page, which the tests fill.
  return sendHtml(response, merchantPage, {});
}

const merchantPage = `<!doctype html><html lang="en"><title>Shop</title><meta name="viewport" content="width=device-width"><body><main><h1>Shop</h1><div id="pay"></div><div id="other"></div></main></body></html>`;
const bankPage = `<!doctype html><html lang="en"><title>Bank</title><meta name="viewport" content="width=device-width"><body><main><h1>Your bank</h1><p>Enter the code we sent you.</p><label>Code <input></label></main></body></html>`;

/**
 * Returns a shop page with two scripts: the loader, and a listener that sets the page's title. The test reads this
 * title.
 */
function snippetPage(query: URLSearchParams): string {
  const embedUrl = query.get("embed_url") ?? "";
  return `<!doctype html><html lang="en"><title>Shop</title>
<script>addEventListener("florin:expired", () => { document.title = "expired"; })</script>
<script src="${new URL(embedUrl).origin}/embed.js" data-embed-url="${embedUrl}" data-target="#here"></script>
<div id="here"></div></html>`;
}

/** Sends the card document with the service's exact headers, so that a CSP violation fails these tests. */
function sendFrame(
  state: ServiceState,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
) {
  const opened = state.sessions.get(id);
  const ancestors = opened?.session.allowed_origins.join(" ") || "'none'";
  const surface = request.headers["sec-fetch-dest"] === "iframe" ? "frame" : "page";
  const { searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  const locales = [
    searchParams.get("locale"),
    opened?.session.locale,
    ...acceptedTags(request.headers["accept-language"]),
  ];
  const html = frameDocument({ manifest: state.built.manifest, surface, locales });
  const pages = (opened?.session.wallets ?? []).flatMap((wallet) =>
    "page_url" in wallet ? new URL(wallet.page_url).origin : [],
  );
  sendHtml(response, html, {
    "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self' ${pages.join(" ")}; form-action 'none'; base-uri 'none'; frame-ancestors ${ancestors}; require-trusted-types-for 'script'`,
    "permissions-policy": `payment=(${["self", ...pages.map((page) => `"${page}"`)].join(" ")})`,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
}

async function api(
  state: ServiceState,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) {
  const body = await readBody(request);
  const key = request.headers["idempotency-key"];
  state.requests.push({
    method: request.method ?? "",
    path,
    idempotencyKey: typeof key === "string" ? key : null,
    body,
  });
  if (request.headers.authorization !== `Bearer ${secret}`) return missing(response);
  if (path === "/vault/cards") return storeCard(state, response, JSON.parse(body));
  if (path === "/vault/wallet_tokens") return storeToken(state, response, JSON.parse(body));
  if (path.endsWith("/apple_pay_session")) {
    return send(response, 200, { merchant_session: { nonce: "n" } });
  }

  const [, id, verb] =
    /^\/embed\/api\/checkout_sessions\/(cs_\w+)(\/confirm|\/cancel_challenge)?$/.exec(path) ?? [];
  const opened = state.sessions.get(id ?? "");
  if (!opened) return missing(response);
  if (verb === "/cancel_challenge") {
    if (opened.session.status === "requires_action")
      decline(opened.session, "authentication_canceled", "authentication_canceled");
  } else if (verb && (await confirm(state, opened, JSON.parse(body))) === "drop")
    return response.destroy();
  opened.session.server_time = Math.floor(Date.now() / 1000);
  return send(response, 200, served(opened.session));
}

/** Returns a session as the service does. A session that has ended includes only the outcome and the return URLs. */
function served(session: ScriptedSession): ScriptedSession | EndedFrameSession {
  const { id, mode, status, payment_status, allowed_origins } = session;
  const { merchant_name, logo_path, support_email, support_phone } = session;
  if (status === "open" || status === "processing" || status === "requires_action") return session;
  return {
    id,
    mode,
    status,
    payment_status,
    merchant_name,
    logo_path,
    support_email,
    support_phone,
    allowed_origins,
    return_url:
      (status === "complete" ? session.success_url : session.cancel_url) ?? session.return_url,
    last_payment_error: session.last_payment_error,
    ...(session.bank_message && { bank_message: session.bank_message }),
    server_time: session.server_time,
  };
}

function missing(response: ServerResponse) {
  send(response, 404, {
    error: { type: "invalid_request_error", code: "resource_missing", message: "No such session." },
  });
}

type StoreCardBody = { checkout_session_id: string; number: string; cvc: string };

function storeCard(state: ServiceState, response: ServerResponse, card: StoreCardBody) {
  if (state.sessions.get(card.checkout_session_id)?.session.status !== "open") {
    const error = {
      type: "invalid_request_error",
      code: "session_already_complete",
      message: "The session must be 'open' for this.",
      param: "id",
    };
    return send(response, 400, { error });
  }
  if (!/^(4242|4000|3782|5555)/.test(card.number)) {
    const error = {
      type: "card_error",
      code: "card_declined",
      decline_code: "testmode_decline",
      message: "Test mode takes test cards only.",
      param: "number",
    };
    return send(response, 402, { error });
  }
  const id = `pm_${randomUUID()}`;
  state.cards.set(id, card.number);
  send(response, 201, {
    payment_method_id: id,
    card: { brand: "visa", last4: card.number.slice(-4) },
  });
}

/** Stores a token as a card. The token "declined" is a card with insufficient funds. */
function storeToken(state: ServiceState, response: ServerResponse, { token }: { token: string }) {
  const id = `pm_${randomUUID()}`;
  state.cards.set(id, token.includes("declined") ? "4000000000009995" : "4242424242424242");
  send(response, 201, { payment_method_id: id, card: { brand: "visa", last4: "4242" } });
}

/** Sends the page with Google Pay's button, with the service's policy. */
function sendGooglePayPage(
  { built }: ServiceState,
  { headers }: IncomingMessage,
  response: ServerResponse,
) {
  const serviceOrigin = `http://127.0.0.1:${headers.host?.split(":")[1]}`;
  const nonce = randomUUID();
  const reportUrl = `${serviceOrigin}/embed/csp-reports`;
  const ancestors = [serviceOrigin, "http://shop.test:*"];
  sendHtml(response, googlePayDocument({ manifest: built.manifest, serviceOrigin, nonce }), {
    "content-security-policy": googlePayPolicy({ serviceOrigin, nonce, ancestors, reportUrl }),
  });
}

async function confirm(state: ServiceState, opened: Opened, body: { payment_method_id: string }) {
  const { session } = opened;
  if (session.status !== "open") return "respond";
  if (opened.onConfirm) return opened.onConfirm(session);
  session.attempts += 1;
  session.last_payment_error = null;
  const number = state.cards.get(body.payment_method_id);
  if (number === "4000000000009995") decline(session, "card_declined", "insufficient_funds");
  else if (number === "4000000000000127") decline(session, "incorrect_cvc", "incorrect_cvc");
  else if (number === "4000002760003184") challenge(session);
  else succeed(session);
  return "respond";
}

export function succeed(session: ScriptedSession): void {
  Object.assign(session, { status: "complete", payment_status: "paid", next_action: null });
}

function challenge(session: ScriptedSession): void {
  Object.assign(session, {
    status: "requires_action",
    next_action: { type: "redirect", url: "/challenge/bank", step: "challenge" },
  });
}

function decline(session: ScriptedSession, code: string, declineCode: string): void {
  Object.assign(session, {
    status: session.attempts >= session.max_attempts ? "failed" : "open",
    last_payment_error: { code, decline_code: declineCode, message: "Declined." },
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: object) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendHtml(response: ServerResponse, html: string, headers: Record<string, string>) {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers }).end(html);
}

async function sendFile(response: ServerResponse, path: string) {
  const type = path.endsWith(".css") ? "text/css" : "text/javascript";
  const file = await readFile(path).catch(() => null);
  if (!file) return response.writeHead(404).end();
  return response
    .writeHead(200, { "content-type": type, "access-control-allow-origin": "*" })
    .end(file);
}
