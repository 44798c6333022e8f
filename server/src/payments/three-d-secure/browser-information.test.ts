import assert from "node:assert/strict";
import { test } from "node:test";
import { browserInformation, clampColorDepth } from "./browser-information.ts";

const screen = {
  color_depth: 24,
  screen_height: 900,
  screen_width: 1440,
  time_zone: -120,
  language: "en-GB",
  java_enabled: false,
};
const request = { accept: "text/html", userAgent: "Browser/1", ip: "203.0.113.7" };

for (const [reported, sent] of [
  [0, "1"],
  [1, "1"],
  [2, "1"],
  [12, "8"],
  [15, "15"],
  [16, "16"],
  [24, "24"],
  [30, "24"],
  [36, "32"],
  [48, "48"],
  [64, "48"],
] as const) {
  test(`a color depth of ${reported} is sent as ${sent}`, () => {
    assert.equal(clampColorDepth(reported), sent);
  });
}

test("headers and address come from the request, and the screen properties from the script", () => {
  assert.deepEqual(browserInformation(screen, request), {
    browserAcceptHeader: "text/html",
    browserUserAgent: "Browser/1",
    browserIP: "203.0.113.7",
    browserLanguage: "en-GB",
    browserJavascriptEnabled: true,
    browserJavaEnabled: false,
    browserColorDepth: "24",
    browserScreenHeight: "900",
    browserScreenWidth: "1440",
    browserTZ: "-120",
  });
});

test("values that are too long, missing or invalid are adjusted to EMV 3DS", () => {
  const information = browserInformation(
    { ...screen, language: "zh-Hant-TW" },
    { accept: undefined, userAgent: "x".repeat(5000), ip: "::ffff:203.0.113.7" },
  );
  assert.equal(information.browserLanguage, "zh-Hant");
  assert.equal(information.browserAcceptHeader, "*/*");
  assert.equal(information.browserUserAgent.length, 2048);
  assert.equal(information.browserIP, "203.0.113.7");
});

test("text that a proxy forwarded instead of an address is not sent", () => {
  const information = browserInformation(screen, { ...request, ip: "4242424242424242" });
  assert.ok(!("browserIP" in information), String(information.browserIP));
});

for (const [reported, sent] of [
  ["en-US@posix", "en-US"],
  ["abcdefg😀", "abcdefg"],
  ["😀", "en"],
  ["---", "---"],
] as const) {
  test(`the language ${reported} is sent as ${sent}, because an invalid message would skip authentication`, () => {
    assert.equal(
      browserInformation({ ...screen, language: reported }, request).browserLanguage,
      sent,
    );
  });
}
