import assert from "node:assert/strict";
import type { Reply } from "./client.ts";
import type { Shop } from "./shop.ts";

/** Whatever sends requests to a service. */
export type Sender = Pick<Shop, "send">;

/**
 * A cardholder's browser in front of the challenge document, over HTTP: it does what the document's script does,
 * posts what the bank's pages make a browser post, and whatever else a test wants it to.
 */
export type Cardholder = {
  /** The path of the challenge document. */
  readonly path: string;
  /** The secret of the challenge, from the address's fragment. */
  readonly secret: string;
  document(): Promise<Reply>;
  step(): Promise<Reply>;
  begin(): Promise<Reply>;
  authenticate(screen?: object): Promise<Reply>;
  /** What the browser would post to the bank. */
  challenge(): Promise<Reply>;
  cancel(): Promise<Reply>;
  /** Look-up, method page if there is one that answers, AReq and ARes. The step that follows. */
  approach(): Promise<string>;
  /** Posts the CReq and answers with the bank's page. */
  meetBank(): Promise<Page>;
};

/** A page, and the form that it would have the browser post. */
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

export function openCardholder(shop: Sender, url: string): Cardholder {
  const { pathname: path, hash } = new URL(url);
  const secret = hash.slice(1);
  const headers = { authorization: `Bearer ${secret}` };
  const ask = (verb: string, body?: object) =>
    shop.send(body ? "POST" : "GET", `${path}/${verb}`, { headers, ...(body && { body }) });
  const cardholder: Cardholder = {
    path,
    secret,
    document: () => shop.send("GET", path),
    step: () => ask("step"),
    begin: () => ask("begin", {}),
    authenticate: (screen = someScreen) => ask("authenticate", screen),
    challenge: () => ask("challenge", { window_size: "02" }),
    cancel: () => ask("cancel", {}),
    async approach() {
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
    async meetBank() {
      const { body, status, text } = await cardholder.challenge();
      assert.equal(status, 200, text);
      return post(shop, new URL(body.action).pathname, {
        creq: body.creq,
        threeDSSessionData: body.three_ds_session_data,
      });
    },
  };
  return cardholder;
}

/** Presses a button of the page's form, with what was typed. */
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

/** The bank's page, where a person decides: the right code, a wrong one, or a way out. */
export async function answerBank(
  shop: Sender,
  page: Page,
  answer: { code: string } | "cancel" | "nothing",
): Promise<Page> {
  assert.ok(page.form, `The bank shows no form: ${page.status} ${page.html}`);
  const what = typeof answer === "object" ? { action: "submit", ...answer } : { action: answer };
  return submit(shop, page.form, what);
}

export const rightCode = { code: "123456" };
