import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Stripe from "stripe";
import { json, scriptedService } from "./scripted-service.ts";

/** Finds the guide's first code block that contains the text `words`, and imports the block as a module. */
async function runBlock(t: TestContext, words: string, prepare = (code: string) => code) {
  const guide = readFileSync(
    new URL("../../docs/guides/accept-a-payment.md", import.meta.url),
    "utf8",
  );
  const blocks = [...guide.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
  const code = blocks.find((block) => block.includes(words)) ?? assert.fail(`no block: ${words}`);
  const directory = mkdtempSync(join(tmpdir(), "guide-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "block.mjs");
  const here = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const resolved = code
    .replace('"@florin/sdk/webhooks"', here("webhooks.ts"))
    .replace('"@florin/sdk"', here("florin.ts"));
  writeFileSync(file, prepare(resolved));
  return import(file);
}

test("the first request of the guide creates a session unchanged", async (t) => {
  const response = { session: { id: "cs_1" }, embed_url: "https://pay.example.com/pay#secret" };
  await using service = await scriptedService(json(201, response));
  process.env.FLORIN_SECRET_KEY = "sk_test_guide";
  process.env.FLORIN_URL = service.baseUrl;
  await runBlock(
    t,
    "checkoutSessions.create",
    (code) => `const order = { id: "order-7" };\n${code}`,
  );
  const [request] = service.received;
  assert.equal(request?.headers["idempotency-key"], "order-7-1");
  assert.equal(JSON.parse(request?.body ?? "").client_reference_id, "order-7");
});

test("the receiver of the guide accepts only signed webhooks", async (t) => {
  const secret = "whsec_guide";
  process.env.FLORIN_WEBHOOK_SECRET = secret;
  const paid: string[] = [];
  Object.assign(globalThis, { markPaid: (orderId: string) => paid.push(orderId) });
  const { server } = (await runBlock(t, "await verify(", (code) =>
    code.replace("\ncreateServer(", "\nexport const server = createServer(").replace("8080", "0"),
  )) as { server: Server };
  if (!server.listening) await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const payload = JSON.stringify({
    id: "evt_1",
    type: "payment.succeeded",
    data: { object: { client_reference_id: "order-7" } },
  });
  const deliver = async (key: string) => {
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: key });
    const headers = { "service-signature": signature, connection: "close" };
    const url = `http://127.0.0.1:${port}/webhooks`;
    return (await fetch(url, { method: "POST", body: payload, headers })).status;
  };
  assert.equal(await deliver("whsec_forged"), 400);
  assert.deepEqual(paid, []);
  assert.equal(await deliver(secret), 200);
  assert.deepEqual(paid, ["order-7"]);
});
