import assert from "node:assert/strict";
import { test } from "node:test";
import { formLanguages } from "@florin/contract/checkout-session.ts";
import { frameDocument } from "./document.ts";
import { acceptedTags, chooseLocale, type Language, languages } from "./locales/choose-locale.ts";

const manifest = {
  loader: "embed.js",
  pinnedLoader: "loader/embed-a.js",
  loaderIntegrity: "sha384-a",
  frameScript: "assets/a.js",
  frameStyle: "assets/a.css",
  challengeScript: "assets/b.js",
  challengeStyle: "assets/b.css",
  googlePayScript: "google-pay/c.js",
  words: Object.fromEntries(
    languages.map((language) => [language, `assets/${language}.js`]),
  ) as Record<Language, string>,
};

test("the document contains no inline script, style or handler that its CSP blocks", () => {
  for (const surface of ["page", "frame"] as const) {
    const html = frameDocument({
      manifest,
      surface,
      merchant: { name: "Kiosk Nord", stylesheet: null },
    });
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
  }
});

test("a merchant's name is escaped", () => {
  const html = frameDocument({
    manifest,
    merchant: { name: `</title><script>"'&`, stylesheet: null },
  });
  assert.match(html, /<title>Pay &lt;\/title&gt;&lt;script&gt;&quot;&#39;&amp;<\/title>/);
});

test("the document uses the first supported language of the request and its text direction", () => {
  const open = (...locales: (string | null)[]) => frameDocument({ manifest, locales });
  assert.match(open(null, "da", "de-AT"), /<html lang="de-AT" dir="ltr"/);
  assert.match(open("ar-EG"), /<html lang="ar-EG" dir="rtl"/);
  assert.match(open("ar-EG"), /modulepreload" href="\/embed\/assets\/ar.js"/);
  assert.match(open("xx"), /<html lang="en" dir="ltr"/);
});

test("a language tag is escaped", () => {
  for (const tag of [`de-"><script>`, "de onload=x", "de-", "de-%22"]) {
    assert.equal(chooseLocale([tag]).tag, "en");
  }
});

test("Accept-Language is parsed by quality value", () => {
  assert.deepEqual(acceptedTags("fr;q=0.5, he-IL, *;q=0.1, en;q=0.8, nonsense!"), [
    "he-IL",
    "en",
    "fr",
  ]);
  assert.deepEqual(acceptedTags(undefined), []);
});

test("the API accepts exactly the locales that the form supports", () => {
  assert.deepEqual([...formLanguages].sort(), [...languages].sort());
});
