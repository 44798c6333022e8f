import assert from "node:assert/strict";
import { test } from "node:test";
import { listen } from "./snippets.ts";

test("the listen command reaches the service that shows it", () => {
  assert.equal(
    listen("http://localhost:4242", "sk_test_1"),
    "npm run florin listen -- --forward-to http://localhost:8080/webhooks --key sk_test_1",
  );
  assert.equal(
    listen("https://pay.example", "sk_test_1"),
    "npm run florin listen -- --forward-to http://localhost:8080/webhooks --key sk_test_1 --url https://pay.example",
  );
});
