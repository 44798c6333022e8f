import assert from "node:assert/strict";
import { test } from "node:test";
import { contrastOf } from "@florin/contract/color-contrast.ts";
import { mailHtml } from "./mail-html.ts";

const origin = "https://pay.example";
const mail = {
  to: "ada@example.com",
  subject: "Dispute over <b>44.00 USD</b>",
  text: 'A customer of "Kiosk" & Co disputes a payment.\n\n- first\n- second\n\nhttps://pay.example/d?a=1&b="2\n',
  action: "View dispute",
};

test("every value of an email is escaped in its HTML part", () => {
  const brand = { name: "<script>alert(1)</script>", color: null, logo: '/branding/"><img src=x>' };
  const html = mailHtml({ ...mail, action: "<i>View</i>", brand }, origin);
  assert.doesNotMatch(html, /<script|<b>|<i>|<img src=x/);
  assert.match(html, /<h1[^>]*>Dispute over &lt;b&gt;44\.00 USD&lt;\/b&gt;<\/h1>/);
  assert.match(html, /A customer of &quot;Kiosk&quot; &amp; Co disputes a payment\./);
  assert.match(html, /<li>first<\/li><li>second<\/li>/);
  assert.match(html, /href="https:\/\/pay\.example\/d\?a=1&amp;b=&quot;2"/);
});

test("an email loads only the merchant's logo, and nothing if it is sent in the name of the service", () => {
  const brand = { name: "Kiosk", color: "#a8481f", logo: "/branding/acct_1/logo.png" };
  const loaded = (html: string) =>
    [...html.matchAll(/(?:src=|url\(|<link|@import)[^>]*/g)].map(([found]) => found);
  assert.equal(loaded(mailHtml({ ...mail, brand }, origin)).length, 1);
  assert.match(
    loaded(mailHtml({ ...mail, brand }, origin)).join(),
    /^src="https:\/\/pay\.example\/branding\/acct_1\/logo\.png" alt=""/,
  );
  assert.deepEqual(loaded(mailHtml(mail, origin)), []);
});

test("the text of a button and of a link is readable with every brand color, in light and dark", () => {
  for (const color of ["#ffff00", "#ffffff", "#000000", "#808080", "#0b5d45"]) {
    const html = mailHtml({ ...mail, brand: { name: "Kiosk", color, logo: null } }, origin);
    const [, background = "", text = ""] =
      /background:(#[0-9a-f]{6});color:(#[0-9a-f]{6});font-weight:600/.exec(html) ?? [];
    assert.ok(contrastOf(text, background) >= 4.5, `${color}: ${text} on ${background}`);
    const [, light = ""] = /class="link"[^>]*style="color:(#[0-9a-f]{6})"/.exec(html) ?? [];
    assert.ok(contrastOf(light, "#ffffff") >= 4.5, `${color}: ${light}`);
    const [, dark = ""] = /\.link \{ color: (#[0-9a-f]{6})/.exec(html) ?? [];
    assert.ok(contrastOf(dark, "#1b201e") >= 4.5, `${color}: ${dark}`);
  }
});

test("an email without an action shows its link without a button", () => {
  const { action: _, ...plain } = mail;
  const html = mailHtml(plain, origin);
  assert.equal(html.match(/<a /g)?.length, 1);
});
