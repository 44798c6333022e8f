import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sendRequest, sendWithKey } from "./http-client.ts";

const child = spawn(process.execPath, [join(import.meta.dirname, "live-sandbox.ts")], {
  stdio: ["ignore", "pipe", "inherit"],
});
after(() => child.kill());

/** Returns the text that the command prints when live mode is ready. */
async function readInstructions(): Promise<string> {
  let printed = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    if (printed.includes("Press Ctrl-C")) return printed;
  }
  throw new Error(`The live sandbox ended before it was ready: ${printed}`);
}

test("the printed session is paid and refunded at the fake, and a signal ends the command", async () => {
  const instructions = await readInstructions();
  const [key = ""] = /sk_live_\w+/.exec(instructions) ?? [];
  const [, url = "", session = "", secret = ""] =
    /(http:\S+)\/embed\/(cs_\w+)#(\S+)/.exec(instructions) ?? [];
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${secret}`, "idempotency-key": path };
    return (await sendRequest(url + path, { method: "POST", body, headers })).json();
  };
  const { payment_method_id } = (await post("/vault/cards", {
    checkout_session_id: session,
    number: "4111111111111111",
    exp_month: 3,
    exp_year: 2030,
    cvc: "737",
  })) as { payment_method_id: string };
  const confirm = `/embed/api/checkout_sessions/${session}/confirm`;
  const paid = (await post(confirm, { payment_method_id })) as { payment_status: string };
  assert.equal(paid.payment_status, "paid");

  const merchant = <Body>(method: string, path: string, body?: object) =>
    sendWithKey<Body>(url, key, method, `/api/v1${path}`, body);
  const { data } = await merchant<{ data: { id: string; livemode: boolean }[] }>("GET", "/charges");
  assert.deepEqual([data.length, data[0]?.livemode], [1, true]);
  type Refund = { readonly id: string; readonly status: string };
  let refund = await merchant<Refund>("POST", "/refunds", { charge_id: data[0]?.id, amount: 500 });
  assert.equal(refund.status, "pending");
  while (refund.status === "pending") {
    await sleep(100);
    refund = await merchant("GET", `/refunds/${refund.id}`);
  }
  assert.equal(refund.status, "succeeded");

  const ended = once(child, "exit");
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});
