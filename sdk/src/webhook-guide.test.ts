import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Stripe from "stripe";

const secret = "whsec_guide";
const guide = readFileSync(new URL("../../docs/guides/webhooks.md", import.meta.url), "utf8");

/** The IDs of the events that the guide's code passes to `handle`. */
const handled: string[] = [];
Object.assign(globalThis, { handle: async (event: { id: string }) => handled.push(event.id) });
process.env.FLORIN_WEBHOOK_SECRET = secret;

/** Imports the code below the heading `framework` as a module. The code can import the web frameworks. */
async function handlerOf(t: TestContext, framework: string) {
  const [, code = assert.fail(framework)] =
    new RegExp(`### ${framework}\\n[^#]*?\`\`\`(?:js|ts)\\n([\\s\\S]*?)\`\`\``).exec(guide) ?? [];
  const directory = mkdtempSync(join(import.meta.dirname, ".guide-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "handler.mts");
  const own = JSON.stringify(new URL("webhooks.ts", import.meta.url).href);
  const exported = code.includes("const app =") ? "\nexport { app };\n" : "";
  writeFileSync(file, code.replace('"@florin/sdk/webhooks"', own) + exported);
  return import(file);
}

type Send = (headers: Record<string, string>, body: string) => Promise<number>;

async function verifiesWebhooks(send: Send, framework: string): Promise<void> {
  const id = `evt_${framework}`;
  const payload = JSON.stringify({ id, type: "ping", text: "naïve 日本 \u2028" });
  const signed = (key: string, timestamp = Math.floor(Date.now() / 1000)) => ({
    "content-type": "application/json",
    "service-signature": Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: key,
      timestamp,
    }),
  });
  handled.length = 0;
  assert.equal(await send(signed("whsec_other"), payload), 400);
  assert.equal(await send(signed(secret), payload.replace("ping", "pong")), 400);
  assert.equal(await send(signed(secret, Math.floor(Date.now() / 1000) - 301), payload), 400);
  assert.equal(await send({ "content-type": "application/json" }, payload), 400);
  assert.deepEqual(handled, []);
  const status = await send(signed(secret), payload);
  assert.ok(status >= 200 && status <= 299, String(status));
  assert.deepEqual(handled, [id]);
}

const toUrl =
  (url: string): Send =>
  async (headers, body) =>
    (
      await fetch(`${url}/webhooks`, {
        method: "POST",
        headers: { ...headers, connection: "close" },
        body,
      })
    ).status;

test("the guide's handler for Express accepts only signed webhooks", async (t) => {
  const { app } = await handlerOf(t, "Express");
  const server = createServer(app).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  await verifiesWebhooks(
    toUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    "express",
  );
});

test("in Express 4, an error of handle() is passed to next() instead of ending the process", async (t) => {
  const { app } = await handlerOf(t, "Express");
  const [route] = app.router.stack.filter((layer: { route?: unknown }) => layer.route);
  const { handle: handler } = route.route.stack.at(-1);
  // The request has no headers, so that the code fails with an error that is not a WebhookError.
  const errors: unknown[] = [];
  await handler({}, {}, (error: unknown) => errors.push(error));
  assert.equal(errors.length, 1);
  assert.ok(errors[0] instanceof TypeError, String(errors[0]));
});

test("the guide's handler for Fastify accepts only signed webhooks", async (t) => {
  const { app } = await handlerOf(t, "Fastify");
  t.after(() => app.close());
  await verifiesWebhooks(toUrl(await app.listen({ host: "127.0.0.1", port: 0 })), "fastify");
});

test("the guide's handler for Hono accepts only signed webhooks", async (t) => {
  const { app } = await handlerOf(t, "Hono");
  const send: Send = async (headers, body) =>
    (await app.request("/webhooks", { method: "POST", headers, body })).status;
  await verifiesWebhooks(send, "hono");
});

test("the guide's handler for Next.js accepts only signed webhooks", async (t) => {
  const { POST } = await handlerOf(t, "Next.js");
  const send: Send = async (headers, body) =>
    (await POST(new Request("https://shop.example/webhooks", { method: "POST", headers, body })))
      .status;
  await verifiesWebhooks(send, "next");
});
