import assert from "node:assert/strict";
import { test } from "node:test";
import type { FrameSession } from "@florin/contract/frame.ts";
import { words } from "./locales/en.ts";
import { messageToPage } from "./message-to-page.ts";
import { screenOf } from "./screen.ts";
import { sessionWith } from "./session.fixture.ts";

const declined = {
  code: "card_declined",
  decline_code: "insufficient_funds",
  message: "No.",
} as const;

test("an open session shows the form and the number of attempts left", () => {
  assert.deepEqual(screenOf(sessionWith({})), { name: "form", declined: null, triesLeft: 5 });
  const second = sessionWith({ attempts: 4, last_payment_error: declined });
  assert.deepEqual(screenOf(second), { name: "form", declined, triesLeft: 1 });
});

test("a session past its expiry is shown as expired, even before the service marks it as expired", () => {
  assert.equal(screenOf(sessionWith({ server_time: 2000, expires_at: 2000 })).name, "expired");
  assert.equal(screenOf(sessionWith({ server_time: 1999, expires_at: 2000 })).name, "form");
});

test("every other status has its own screen", () => {
  const statuses = ["processing", "requires_action", "complete", "expired", "canceled", "failed"];
  for (const status of statuses as FrameSession["status"][]) {
    assert.equal(screenOf(sessionWith({ status })).name, status);
  }
});

test("a processing session never expires", () => {
  const late = sessionWith({ status: "processing", server_time: 9999, expires_at: 2000 });
  assert.equal(screenOf(late).name, "processing");
});

test("after a success the link is success_url, or else return_url", () => {
  const session = sessionWith({
    status: "complete",
    success_url: "https://shop.example/thanks",
    return_url: "https://shop.example/",
  });
  const screen = screenOf(session);
  assert.equal("continueUrl" in screen && screen.continueUrl, "https://shop.example/thanks");
  const plain = screenOf({ ...session, success_url: null });
  assert.equal("continueUrl" in plain && plain.continueUrl, "https://shop.example/");
});

test("if the session ends without payment, the link is cancel_url, or else return_url", () => {
  for (const status of ["expired", "canceled", "failed"] as const) {
    const back = { cancel_url: "https://shop.example/cart", return_url: "https://shop.example/" };
    const both = screenOf(sessionWith({ status, ...back }));
    assert.equal("backUrl" in both && both.backUrl, "https://shop.example/cart");
    const one = screenOf(sessionWith({ status, ...back, cancel_url: null }));
    assert.equal("backUrl" in one && one.backUrl, "https://shop.example/");
  }
});

test("a URL with a scheme other than http or https is never followed", () => {
  const screen = screenOf(sessionWith({ status: "complete", success_url: "javascript:alert(1)" }));
  assert.equal("continueUrl" in screen && screen.continueUrl, null);
});

test("an authorization is not reported as a payment", () => {
  const screen = screenOf(sessionWith({ status: "complete", payment_status: "authorized" }));
  assert.equal("authorizedOnly" in screen && screen.authorizedOnly, true);
});

test("the page is notified of the final status, even if the frame is opened afterwards", () => {
  const complete = sessionWith({ status: "complete" });
  const message = { type: "complete", session_id: complete.id, status: "complete" };
  assert.deepEqual(messageToPage(words, null, complete), message);
  assert.deepEqual(messageToPage(words, sessionWith({}), complete), message);
  assert.equal(messageToPage(words, complete, complete), null);
});

test("only a new decline is announced", () => {
  const after = sessionWith({ attempts: 1, last_payment_error: declined });
  const message = messageToPage(words, sessionWith({}), after);
  assert.equal(message?.type === "failed" && message.retryable, true);
  assert.equal(messageToPage(words, null, after), null);
  assert.equal(messageToPage(words, after, after), null);
});

test("details that help fraudsters are never shown in the browser", () => {
  const stolen = { ...declined, decline_code: "stolen_card" as const };
  const message = messageToPage(
    words,
    sessionWith({}),
    sessionWith({ attempts: 1, last_payment_error: stolen }),
  );
  assert.ok(message?.type === "failed");
  assert.equal(message.decline_code, "generic_decline");
  assert.doesNotMatch(message.message, /stolen|lost|fraud/i);
});
