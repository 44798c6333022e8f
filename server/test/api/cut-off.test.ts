import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { openShop, until } from "../shop.ts";
import { shout } from "../shout.ts";

const shop = await openShop({ workers: false });
after(() => shop.close());

test("a caller who hangs up in the middle of the body is no fault of the service's", async () => {
  const { hostname, port } = new URL(shop.url);
  const socket = connect(Number(port), hostname);
  const head = [
    "POST /api/v1/charges HTTP/1.1",
    "Host: florin",
    `Authorization: Bearer ${shop.merchant.key}`,
    "Content-Type: application/json",
    "Content-Length: 1000",
  ];
  const whole = shop.app.http.server;
  const seen = once(whole, "request");
  socket.write(`${head.join("\r\n")}\r\n\r\n{"amount":`);
  const [incoming] = await seen;
  // Once the body is being read; before that nobody listens.
  await until(
    async () => incoming.listenerCount("data"),
    (listeners) => listeners > 0,
  );
  const closed = new Promise((resolve) => incoming.on("close", resolve));
  socket.destroy();
  await closed;
  // The next request is answered after whatever the cut-off one has caused.
  assert.equal((await shop.get("/charges")).status, 200);
  assert.deepEqual(shop.log, []);
});

test("who sends no request in 10 s is told so, and who has sent nothing at all hears nothing", async () => {
  const [silent, slow] = await Promise.all([
    // As browsers do, who connect before they know what to ask.
    shout(shop.url, ""),
    shout(shop.url, "GET /api/v1/account HTTP/1.1\r\nHost: florin\r\n"),
  ]);
  assert.equal(silent, "");
  assert.match(slow, /^HTTP\/1\.1 400 .*"code":"request_malformed"/s);
});

test("a few requests ahead of their answers are answered in turn, and a flood of them is cut off", async () => {
  const ahead = async (count: number) => {
    const last = "GET /livez HTTP/1.1\r\nHost: florin\r\nConnection: close\r\n\r\n";
    const first = "GET /docs HTTP/1.1\r\nHost: florin\r\n\r\n".repeat(count - 1);
    const heard = await shout(shop.url, first + last);
    return [...heard.matchAll(/^HTTP\/1\.1 200/gm)].length;
  };
  assert.equal(await ahead(6), 6);
  assert.ok((await ahead(2_000)) < 10);
});

test("what cannot be read is never the answer to the charge before it", async () => {
  const body = '{"amount":1999,"currency":"usd","payment_method_id":"pm_card_visa"}';
  const head = [
    "POST /api/v1/charges HTTP/1.1",
    "Host: florin",
    `Authorization: Bearer ${shop.merchant.key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  const heard = await shout(shop.url, `${head.join("\r\n")}\r\n\r\n${body}\u0001garbage`);
  assert.doesNotMatch(heard, /HTTP\/1\.1 400/);
});

test("a server that closes waits for answers, and not for the connections they came on", async () => {
  const closing = await openShop({ workers: false });
  const { hostname, port } = new URL(closing.url);
  const silent = connect(Number(port), hostname);
  await once(silent, "connect");
  const begun = once(closing.app.http.server, "request");
  // A client that keeps its connection, as most do.
  const answer = fetch(`${closing.url}/api/v1/charges`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${closing.merchant.key}`,
      "content-type": "application/json",
    },
    body: '{"amount":1999,"currency":"usd","payment_method_id":"pm_card_visa"}',
  });
  await begun;
  const closed = closing.app.http.close();
  const { status, headers } = await answer;
  assert.deepEqual([status, headers.get("connection")], [201, "close"]);
  const tooLate = new Promise((_, reject) => {
    setTimeout(reject, 5_000, new Error("It waits for more than answers.")).unref();
  });
  await Promise.race([closed, tooLate]);
  await closing.close();
});
