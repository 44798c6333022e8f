import assert from "node:assert/strict";
import type { Reply } from "./client.ts";
import type { Shop } from "./shop.ts";

/** A client that sends requests to a service. */
export type Sender = Pick<Shop, "send">;

/**
 * A simulated browser in which a cardholder has opened the challenge document. It sends the requests of the document's
 * script, and posts the forms of the issuer's pages.
 */
export type Cardholder = {
  /** The path of the challenge document. */
  readonly path: string;
  /** The secret of the challenge, from the fragment of its URL. */
  readonly secret: string;
  document(): Promise<Reply>;
  step(): Promise<Reply>;
  begin(): Promise<Reply>;
  authenticate(screen?: object): Promise<Reply>;
  /** Returns the form that the browser would post to the issuer. */
  challenge(): Promise<Reply>;
  cancel(): Promise<Reply>;
  /** Runs the steps up to the ARes: lookup, method page and AReq. Returns the next step. */
  runUntilAres(): Promise<string>;
  /** Posts the CReq. Returns the issuer's page. */
  openIssuerPage(): Promise<Page>;
};

/** A page of the issuer, with the form that the browser would post. */
export type Page = { readonly status: number; readonly html: string; readonly form: Form | null };
export type Form = { readonly path: string; readonly fields: Readonly<Record<string, string>> };

export const someScreen = {
  color_depth: 30,
  screen_height: 900,
  screen_width: 1440,
  time_zone: -120,
  language: "en-GB",
  java_enabled: false,
};

export function createCardholder(shop: Sender, url: string): Cardholder {
  const { pathname: path, hash } = new URL(url);
  const secret = hash.slice(1);
  const headers = { authorization: `Bearer ${secret}` };
  const request = (verb: string, body?: object) =>
    shop.send(body ? "POST" : "GET", `${path}/${verb}`, { headers, ...(body && { body }) });
  const cardholder: Cardholder = {
    path,
    secret,
    document: () => shop.send("GET", path),
    step: () => request("step"),
    begin: () => request("begin", {}),
    authenticate: (screen = someScreen) => request("authenticate", screen),
    challenge: () => request("challenge", { window_size: "02" }),
    cancel: () => request("cancel", {}),
    async runUntilAres() {
      const { body } = await cardholder.begin();
      if (body.step === "method") {
        const hidden = await post(shop, new URL(body.method.url).pathname, {
          threeDSMethodData: body.method.data,
        });
        if (hidden.form) await submit(shop, hidden.form);
      }
      if (body.step === "done") return "done";
      return (await cardholder.authenticate()).body.step;
    },
    async openIssuerPage() {
      const { body, status, text } = await cardholder.challenge();
      assert.equal(status, 200, text);
      return post(shop, new URL(body.url).pathname, body.fields);
    },
  };
  return cardholder;
}

/** Submits the form with additional fields. */
export function submit(shop: Sender, form: Form, more: Record<string, string> = {}): Promise<Page> {
  return post(shop, form.path, { ...form.fields, ...more });
}

export async function post(
  shop: Sender,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Page> {
  const reply = await shop.send("POST", path, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
  return { status: reply.status, html: reply.text, form: formIn(reply.text) };
}

function formIn(html: string): Form | null {
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1];
  if (!action) return null;
  const hidden = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name, value]));
  return { path: new URL(action, "http://bank.example").pathname, fields };
}

/** Submits the issuer's challenge page with a code, or cancels the challenge. */
export async function submitToIssuer(
  shop: Sender,
  page: Page,
  response: { code: string } | "cancel" | "nothing",
): Promise<Page> {
  assert.ok(page.form, `The issuer's page has no form: ${page.status} ${page.html}`);
  const what =
    typeof response === "object" ? { action: "submit", ...response } : { action: response };
  return submit(shop, page.form, what);
}

export const rightCode = { code: "123456" };
