import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { json, openModule, reject } from "../../test/browser.ts";
import type { send } from "./send.ts";

const { mount } = await openModule(
  `export { send } from "./send.ts";
   export { stepUpPrompt } from "./step-up.ts";
   export { signInPrompt } from "./sign-in-again.ts";`,
  import.meta.dirname,
);

/** The exports of the tested module, for functions that run in the page. */
declare const tested: {
  send: typeof send;
  stepUpPrompt: Dialog;
  signInPrompt: Dialog;
};
type Dialog = { showWith(request: () => Promise<boolean>): () => void };

const create = () =>
  tested
    .send({ method: "POST", path: "/api/v1/refunds", body: { amount: 5 } })
    .catch(({ status, code, param, message, isRetryable }) => ({
      status,
      code,
      param,
      message,
      isRetryable,
    }));

/**
 * Returns a request handler that responds to each request with the next step, and to all later requests with the last
 * step.
 */
function respondInOrder(...steps: ((response: ServerResponse) => void)[]) {
  let count = 0;
  return (_: unknown, response: ServerResponse) =>
    steps[Math.min(count++, steps.length - 1)]?.(response);
}

const done = (response: ServerResponse) => json(response, 201, { id: "re_1" });
const cut = (response: ServerResponse) => response.socket?.destroy();

test("a POST is retried with the same key after a broken connection, until there is a response", async () => {
  const { page, received, respond } = await mount();
  respond(respondInOrder(cut, done));
  assert.deepEqual(await page.evaluate(create), { id: "re_1" });
  assert.deepEqual(
    received.map(({ method, body }) => [method, body]),
    Array(2).fill(["POST", '{"amount":5}']),
  );
  assert.match(received[0]?.key ?? "", /^[\w-]{16,}$/);
  assert.equal(received[0]?.key, received[1]?.key);
});

test("two operations never share a key", async () => {
  const { page, received } = await mount();
  await page.evaluate(create);
  await page.evaluate(create);
  assert.equal(new Set(received.map(({ key }) => key)).size, 2);
});

test("a truncated response body counts as a lost response", async () => {
  const { page, received, respond } = await mount();
  const breakOff = (response: ServerResponse) => {
    response.writeHead(201, { "content-length": "100" });
    response.write('{"id":', () => response.socket?.destroy());
  };
  respond(respondInOrder(breakOff, done));
  assert.deepEqual(await page.evaluate(create), { id: "re_1" });
  assert.equal(received[0]?.key, received[1]?.key);
});

test("a proxy's 502, 503 and 504 are retried, and an error is shown after the third try", async () => {
  for (const status of [502, 503, 504]) {
    const { page, received, respond } = await mount();
    respond(respondInOrder((response) => void response.writeHead(status).end("<html>")));
    const problem = await page.evaluate(create);
    assert.deepEqual(problem, {
      status,
      code: "unreachable",
      param: null,
      message: `The service returned status ${status} without details. Try again later.`,
      isRetryable: true,
    });
    assert.equal(received.length, 3);
    assert.equal(new Set(received.map(({ key }) => key)).size, 1);
  }
});

test("without a connection, the error says so and is marked as temporary", async () => {
  const { page } = await mount();
  await page.context().setOffline(true);
  const problem = (await page.evaluate(create)) as Record<string, unknown>;
  assert.deepEqual([problem.status, problem.code, problem.isRetryable], [0, "unreachable", true]);
  assert.match(String(problem.message), /^Could not reach the service\. Check your connection/);
});

test("a rejection is not retried and names the field and the service's message", async () => {
  const { page, received, respond } = await mount();
  respond((_, response) => reject(response, 400, "parameter_invalid", "amount"));
  assert.deepEqual(await page.evaluate(create), {
    status: 400,
    code: "parameter_invalid",
    param: "amount",
    message: "It is parameter_invalid.",
    isRetryable: false,
  });
  assert.equal(received.length, 1);
});

test("a 500 is not retried automatically, because the operation may have been executed", async () => {
  const { page, received, respond } = await mount();
  respond((_, response) => reject(response, 500, "internal_error"));
  const problem = (await page.evaluate(create)) as Record<string, unknown>;
  assert.deepEqual([problem.status, problem.isRetryable, received.length], [500, true, 1]);
});

test("an operation that needs step-up continues after it with the same key, and fails if the dialog is closed", async () => {
  for (const reauthenticated of [true, false]) {
    const { page, received, respond } = await mount();
    respond(respondInOrder((response) => reject(response, 403, "step_up_required"), done));
    await page.evaluate(
      (reauthenticated) => void tested.stepUpPrompt.showWith(async () => reauthenticated),
      reauthenticated,
    );
    const result = (await page.evaluate(create)) as Record<string, unknown>;
    assert.equal(result.id ?? result.code, reauthenticated ? "re_1" : "step_up_required");
    assert.equal(received.length, reauthenticated ? 2 : 1);
    assert.equal(new Set(received.map(({ key }) => key)).size, 1);
  }
});

test("concurrent requests after the session ended share one sign-in dialog", async () => {
  const { page, received, respond } = await mount();
  let signedIn = false;
  respond((_, response) => (signedIn ? done(response) : reject(response, 401, "sign_in_required")));
  await page.exposeFunction("signIn", () => {
    signedIn = true;
  });
  const shown = await page.evaluate(async () => {
    let shown = 0;
    tested.signInPrompt.showWith(async () => {
      shown++;
      // Waits until both requests have been rejected.
      await new Promise((resolve) => setTimeout(resolve, 300));
      await (window as unknown as { signIn(): Promise<void> }).signIn();
      return true;
    });
    const read = () => tested.send({ method: "GET", path: "/api/v1/charges" });
    await Promise.all([read(), read()]);
    return shown;
  });
  assert.deepEqual([shown, received.length], [1, 4]);
});

test("a request that the page cancels is not sent again", async () => {
  const { page, received, respond } = await mount();
  respond(() => {});
  const name = await page.evaluate(() => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    return tested
      .send({ method: "GET", path: "/api/v1/charges", signal: stop.signal })
      .catch((error: Error) => error.name);
  });
  assert.match(String(name), /^AbortError$/);
  assert.equal(received.length, 1);
});

test("reads that a page starts together are sent in separate tasks, so that they do not block input", async () => {
  const { page, received } = await mount();
  const most = await page.evaluate(async () => {
    const original = window.fetch;
    let inTask = 0;
    let most = 0;
    window.fetch = async (...params) => {
      most = Math.max(most, ++inTask);
      const response = original(...params);
      // Each `await` continues in a microtask, so the loop ends within the same task.
      for (let count = 0; count < 50; count += 1) await undefined;
      inTask -= 1;
      return response;
    };
    const read = () => tested.send({ method: "GET", path: "/api/v1/charges" });
    await Promise.all([read(), read(), read()]);
    return most;
  });
  assert.deepEqual([most, received.length], [1, 3]);
});
