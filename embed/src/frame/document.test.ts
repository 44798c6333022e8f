import assert from "node:assert/strict";
import { test } from "node:test";
import { frameDocument } from "./document.ts";

const manifest = {
  loader: "embed.js",
  frameScript: "assets/a.js",
  frameStyle: "assets/a.css",
  challengeScript: "assets/b.js",
  challengeStyle: "assets/b.css",
};

test("the document holds no inline script, style or handler that the policy would refuse", () => {
  for (const surface of ["page", "frame"] as const) {
    const html = frameDocument({ manifest, surface, merchantName: "Kiosk Nord" });
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
  }
});

test("a merchant's name cannot become markup", () => {
  const html = frameDocument({ manifest, merchantName: `</title><script>"'&` });
  assert.match(html, /<title>Pay &lt;\/title&gt;&lt;script&gt;&quot;&#39;&amp;<\/title>/);
});
