import assert from "node:assert/strict";
import { test } from "node:test";
import { browserName } from "./browser-name.ts";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const names: readonly (readonly [userAgent: string, name: string])[] = [
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/142.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0 Safari/537.36 Edg/142.0`,
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    "Safari on iOS",
  ],
  ["Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", "Firefox on Android"],
  ["curl/8.14.1", "An unknown browser"],
  ["", "An unknown browser"],
];

test("a browser has a short recognizable name", () => {
  for (const [userAgent, name] of names) assert.equal(browserName(userAgent), name);
});
