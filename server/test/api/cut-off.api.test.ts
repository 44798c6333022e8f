import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { sendRawBytes } from "../send-raw-bytes.ts";
import { startShop, until } from "../shop.ts";
import { slowed } from "../slowness.ts";

// A rate limit also turns on the limits by network, which need the client's address.
const shop = await startShop({ workers: false, rateLimit: 1_000 });
after(() => shop.close());

/** Returns the warnings (level 40) and errors in the log. */
const logged = () => shop.log.filter(({ level }) => Number(level) >= 40);

test("a client that disconnects during the body causes no server error", async () => {
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
  // Waits until the server has added the `data` listener with which it reads the body.
  await until(
    async () => incoming.listenerCount("data"),
    (listeners) => listeners > 0,
  );
  const closed = new Promise((resolve) => incoming.on("close", resolve));
  socket.destroy();
  await closed;
  // By the time of the next response, the interrupted request has had all its effects.
  assert.equal((await shop.get("/charges")).status, 200);
  assert.deepEqual(logged(), []);
});

test("an incomplete request is rejected after 10 s, and a connection without any data is closed silently", async () => {
  const [silent, slow] = await Promise.all([
    // Browsers open connections in advance without sending a request.
    sendRawBytes(shop.url, ""),
    sendRawBytes(shop.url, "GET /api/v1/account HTTP/1.1\r\nHost: florin\r\n"),
  ]);
  assert.equal(silent, "");
  assert.match(slow, /^HTTP\/1\.1 400 .*"code":"request_malformed"/s);
});

test("a few pipelined requests get responses in order, and a flood of them is cut off", async () => {
  const ahead = async (count: number) => {
    const last = "GET /livez HTTP/1.1\r\nHost: florin\r\nConnection: close\r\n\r\n";
    const first = "GET /docs HTTP/1.1\r\nHost: florin\r\n\r\n".repeat(count - 1);
    const received = await sendRawBytes(shop.url, first + last);
    return [...received.matchAll(/^HTTP\/1\.1 200/gm)].length;
  };
  assert.equal(await ahead(6), 6);
  assert.ok((await ahead(2_000)) < 10);
  // The requests were counted by the client's address, although their connection was already closed.
  assert.equal((await shop.get("/charges")).status, 200);
  assert.deepEqual(logged(), []);
});

const visa = '{"amount":1999,"currency":"usd","payment_method_id":"pm_card_visa"}';

/** Returns the text of a charge request whose Content-Length is `declared`. */
const chargeRequest = (body: string, declared = body.length, more: readonly string[] = []) =>
  [
    "POST /api/v1/charges HTTP/1.1",
    "Host: florin",
    `Authorization: Bearer ${shop.merchant.key}`,
    "Content-Type: application/json",
    `Content-Length: ${declared}`,
    ...more,
    "",
    body,
  ].join("\r\n");

/** Parses the responses in order of arrival: status, `connection` header and body. */
function responsesIn(received: string) {
  return received.split(/(?=HTTP\/1\.1 \d)/).map((response) => {
    const [head = "", body = ""] = response.split("\r\n\r\n");
    const [, connection = ""] = /^connection: (.*)$/im.exec(head) ?? [];
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
    return { status, connection, body: body === "" ? null : JSON.parse(body) };
  });
}

const countCharges = async () => {
  const { rows } = await database.query("select count(*)::int as count from charges");
  return rows[0].count as number;
};
const database = await shop.app.database.connect();
after(() => database.end());

for (const [what, behind] of [
  ["a control character and text", "\u0001garbage"],
  ["a brace", "}"],
  ["text that is not a request line", "this is no request\r\n\r\n"],
  ["a request with an unknown HTTP version", "GET / HTTP/9.9\r\n\r\n"],
  ["a long run of zeros", "\0".repeat(200_000)],
] as const) {
  test(`a charge followed by ${what} in the same packet is created and gets its response before the 400 that closes the connection`, async () => {
    const before = await countCharges();
    const received = responsesIn(await sendRawBytes(shop.url, chargeRequest(visa) + behind));
    assert.deepEqual(
      received.map(({ status }) => status),
      [201, 400],
    );
    assert.equal(received[0]?.body.object, "charge");
    assert.equal(received[1]?.body.error.code, "request_malformed");
    assert.equal(received[1]?.connection, "close");
    assert.equal(await countCharges(), before + 1);
  });
}

for (const [version, coding] of [
  ["1.1", "gzip, chunked"],
  ["1.1", "chunked, chunked"],
  ["1.1", "identity, chunked"],
  ["1.1", "gzip\r\nTransfer-Encoding: chunked"],
  ["1.0", "chunked"],
] as const) {
  test(`400: rejects 'Transfer-Encoding: ${coding.replace("\r\n", ", ")}' over HTTP/${version} and closes the connection`, async () => {
    const before = await countCharges();
    const chunks = `${visa.length.toString(16)}\r\n${visa}\r\n0\r\n\r\n`;
    const request = chargeRequest(chunks)
      .replace("HTTP/1.1", `HTTP/${version}`)
      .replace(/Content-Length: \d+/, `Transfer-Encoding: ${coding}`);
    const received = responsesIn(await sendRawBytes(shop.url, request + chargeRequest(visa)));
    assert.equal(received.length, 1);
    assert.equal(received[0]?.status, 400);
    assert.equal(received[0]?.body.error.code, "request_malformed");
    assert.equal(received[0]?.connection, "close");
    // This charge is sent last. If the charge behind the rejected request were executed, it would be recorded before
    // this one.
    assert.equal((await shop.post("/charges", JSON.parse(visa))).status, 201);
    assert.equal(await countCharges(), before + 1);
  });
}

test("a request whose Content-Length is too short gets responses, whether or not the declared part is valid JSON", async () => {
  const before = await countCharges();
  const whole = responsesIn(await sendRawBytes(shop.url, chargeRequest(`${visa}  }`, visa.length)));
  assert.deepEqual(
    whole.map(({ status }) => status),
    [201, 400],
  );
  const cut = responsesIn(await sendRawBytes(shop.url, chargeRequest(visa, visa.length - 5)));
  assert.deepEqual(
    cut.map(({ status, body }) => [status, body.error.code]),
    [
      [400, "body_invalid_json"],
      [400, "request_malformed"],
    ],
  );
  assert.equal(await countCharges(), before + 1);
});

test("every pipelined charge gets its response in order, before the error for unreadable bytes behind them", async () => {
  const before = await countCharges();
  const received = responsesIn(
    await sendRawBytes(shop.url, `${chargeRequest(visa).repeat(3)}\u0001garbage`),
  );
  assert.deepEqual(
    received.map(({ status }) => status),
    [201, 201, 201, 400],
  );
  assert.equal(await countCharges(), before + 3);
});

test("a charge gets its response before the error for a malformed request behind it", async () => {
  const chunked = chargeRequest("no size\r\n").replace(
    /Content-Length: \d+/,
    "Transfer-Encoding: chunked",
  );
  const received = responsesIn(await sendRawBytes(shop.url, chargeRequest(visa) + chunked));
  assert.deepEqual(
    received.map(({ status, connection }) => [status, connection]),
    [
      [201, "keep-alive"],
      [400, "close"],
    ],
  );
});

test("a client that closes its sending side after a charge still gets the response", async () => {
  const { hostname, port } = new URL(shop.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString();
  });
  socket.end(chargeRequest(visa));
  await once(socket, "end");
  assert.deepEqual(
    responsesIn(received).map(({ status }) => status),
    [201],
  );
});

test("a closing server waits for responses and not for idle connections", async (t) => {
  const closing = await startShop({ workers: false });
  t.after(closing.close);
  const { hostname, port } = new URL(closing.url);
  const idle = connect(Number(port), hostname);
  await once(idle, "connect");
  const started = once(closing.app.http.server, "request");
  // Uses a keep-alive connection, as most clients do.
  const pendingResponse = fetch(`${closing.url}/api/v1/charges`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${closing.merchant.key}`,
      "content-type": "application/json",
    },
    body: '{"amount":1999,"currency":"usd","payment_method_id":"pm_card_visa"}',
  });
  await started;
  const closed = closing.app.http.close();
  const { status, headers } = await pendingResponse;
  assert.deepEqual([status, headers.get("connection")], [201, "close"]);
  // Idle connections are closed after 30 s in any case.
  const maxCloseMs = Math.min(slowed(5_000), 20_000);
  const tooLate = new Promise((_, reject) => {
    setTimeout(
      reject,
      maxCloseMs,
      new Error("The server did not close after the last response."),
    ).unref();
  });
  await Promise.race([closed, tooLate]);
});
