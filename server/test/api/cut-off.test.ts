import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { openShop, until } from "../shop.ts";

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
