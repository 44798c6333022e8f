import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { sendRawBytes } from "../send-raw-bytes.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const visa = { amount: 100, currency: "usd", payment_method_id: "pm_card_visa" };
const headers = { authorization: `Bearer ${shop.merchant.key}` };
const charges = "/api/v1/charges";

test("every response has a unique Request-Id, and errors contain it", async () => {
  const good = await shop.get("/account");
  const bad = await shop.get("/charges/ch_nothing");
  assert.notEqual(good.headers.get("request-id"), bad.headers.get("request-id"));
  assert.equal(bad.body.error.request_id, bad.headers.get("request-id"));
});

test("the doc_url of an error leads to the explanation of its code", async () => {
  const { body } = await shop.get("/charges/ch_nothing");
  const link = new URL(body.error.doc_url);
  assert.equal(link.origin, shop.url);
  const page = await shop.send("GET", link.pathname);
  assert.ok(page.text.includes(`id="${link.hash.slice(1)}"`));
});

test("404: a browser gets a page for an unknown address, and a client of the API gets JSON", async () => {
  const open = (path: string, accept: string) => shop.send("GET", path, { headers: { accept } });
  for (const path of ["/no-such-page", "/%zz"]) {
    const page = await open(path, "text/html,application/xhtml+xml,*/*;q=0.8");
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/, path);
    assert.match(page.text, /<h1>Page not found<\/h1>/, path);
    assert.ok(page.text.includes(page.headers.get("request-id") as string), path);
    assert.ok((await open(path, "*/*")).body.error.code, path);
  }
  for (const [path, text] of [
    ["/no-such-page", /<a href="\/dashboard">dashboard<\/a>/],
    ["/docs/no-such-page", /<a href="\/docs">documentation<\/a>/],
    ["/challenge/no-such-payment", /Open the payment page again from the store\./],
  ] as const) {
    assert.match((await open(path, "text/html")).text, text, path);
  }
  const api = await open("/api/v1/no_such_endpoint", "text/html");
  assert.equal(api.body.error.code, "endpoint_unknown");
});

test("the page for an error other than 404 does not state that the page is missing", async () => {
  for (const [path, status, title] of [
    ["/challenge/account/test/payment/begin", 405, "This page cannot be opened"],
    ["/operator/v1/audit.csv", 401, "Access denied"],
  ] as const) {
    const page = await shop.send("GET", path, { headers: { accept: "text/html" } });
    assert.equal(page.status, status, path);
    assert.ok(page.text.includes(`<h1>${title}</h1>`), page.text);
  }
});

test("a client cannot choose the request id", async () => {
  const reply = await shop.send("GET", "/api/v1/account", {
    headers: { ...headers, "request-id": "req_mine", "x-request-id": "req_mine" },
  });
  assert.notEqual(reply.headers.get("request-id"), "req_mine");
});

for (const [what, body] of [
  ["not JSON", "{amount: 1}"],
  ["truncated", '{"amount": 1'],
  ["a list", "[]"],
  ["a string", '"amount"'],
  ["null", "null"],
  ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
] as const) {
  test(`400: rejects a body that is ${what}`, async () => {
    assert.deepEqual(errorOf(await shop.send("POST", charges, { headers, body })), [
      400,
      "invalid_request_error",
      "body_invalid_json",
    ]);
  });
}

for (const [what, member, code, param] of [
  ["an integer beyond 2^53", '"amount":9007199254740993', "body_invalid_json", "amount"],
  ["an integer in exponent form beyond 2^53", '"amount":1e+30', "body_invalid_json", "amount"],
  ["a number that overflows", '"amount":1e400', "body_invalid_json", "amount"],
  ["a negative number that overflows", '"a":[1,[-1e400]]', "body_invalid_json", "a[1][0]"],
  ["a duplicate key", '"amount":1,"amount":2', "body_invalid_json", "amount"],
  [
    "a duplicate key of an object",
    '"metadata":{"order":"1","x":"","\\u006frder":"2"}',
    "body_invalid_json",
    "metadata.order",
  ],
  ["the key __proto__", '"__proto__":{"amount":100}', "body_invalid_json", "__proto__"],
  ["a NUL", '"description":"\\u0000"', "invalid_characters", "description"],
  [
    "a NUL in a list",
    '"line_items":[{"name":"a"},{"name":"b","amount":1},{"name":"\\u0000"}]',
    "invalid_characters",
    "line_items[2].name",
  ],
  ["a lone surrogate", '"description":"\\ud800"', "invalid_characters", "description"],
  [
    "a lone surrogate in an object",
    '"metadata":{"order":"\\udc00x"}',
    "invalid_characters",
    "metadata.order",
  ],
  ["a NUL in a key", '"metadata":{"a\\u0000":""}', "invalid_characters", "metadata.a\u{fffd}"],
  ["an empty key", '"":1', "parameter_unknown", '""'],
] as const) {
  test(`400: ${what} is rejected, and error.param names the parameter`, async () => {
    const reply = await shop.send("POST", charges, { headers, body: `{${member}}` });
    const [status, type, ...named] = errorOf(reply);
    assert.deepEqual([status, type, ...named], [400, "invalid_request_error", code, param]);
    assert.ok(reply.body.error.message.includes(`\`${param}\``), reply.text);
  });
}

test("400: names an empty metadata key", async () => {
  const body = { ...visa, metadata: { "": "1" } };
  const expected = [400, "invalid_request_error", "metadata_invalid", 'metadata.""'];
  assert.deepEqual(errorOf(await shop.post("/charges", body)), expected);
});

test("400: a body that nests deeper or holds more than any request needs is rejected before it is parsed", async () => {
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const) {
    const deep = Math.floor(65_000 / (open.length + close.length));
    // The second body is not valid JSON. The error shows that the server did not parse the body.
    for (const end of [close.repeat(deep), ""]) {
      const body = `{"a":${open.repeat(deep)}${open === "[" ? "" : "1"}${end}}`;
      const reply = await shop.send("POST", charges, { headers, body: body.slice(0, 65_536) });
      assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "body_too_complex"]);
    }
  }
  const tooManyValues = `{"a":[${"1,".repeat(20_000)}1]}`;
  const reply = await shop.send("POST", charges, { headers, body: tooManyValues });
  assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "body_too_complex"]);
});

test("400: brackets and commas inside strings do not count towards the limits of depth and values", async () => {
  const description = '[{"\\",'.repeat(2_000).slice(0, 500);
  const nested = "[".repeat(15) + "]".repeat(15);
  const reply = await shop.send("POST", charges, {
    headers,
    body: `{"description":${JSON.stringify(description)},"a":${nested}}`,
  });
  assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "parameter_unknown", "a"]);
});

test("400: a misspelled field is named together with the likely correct name", async () => {
  const reply = await shop.post("/charges", {
    amount: 100,
    currency: "usd",
    payment_metod_id: "x",
  });
  assert.deepEqual(errorOf(reply), [
    400,
    "invalid_request_error",
    "parameter_unknown",
    "payment_metod_id",
  ]);
  assert.match(reply.body.error.message, /Did you mean `payment_method_id`\?/);
});

test("400: rejects a query parameter on an operation that accepts none, and names the parameter", async () => {
  const { id } = (await shop.post("/charges", visa)).body;
  for (const reply of [
    await shop.get(`/charges/${id}?expand=customer`),
    await shop.post("/charges?expand=customer", visa),
  ]) {
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "parameter_unknown", "expand"]);
  }
});

test("400: a NUL in a query is rejected, and error.param names the parameter", async () => {
  for (const [query, param] of [
    ["client_reference_id=a%00b", "client_reference_id"],
    ["metadata[order]=%00", "metadata[order]"],
    ["sta%00tus=failed", "sta\u{fffd}tus"],
  ] as const) {
    const reply = await shop.get(`/charges?${query}`);
    const expected = [400, "invalid_request_error", "invalid_characters", param];
    assert.deepEqual(errorOf(reply), expected);
    assert.ok(reply.body.error.message.includes(`\`${param}\``), reply.text);
  }
});

test("400: a card number in place of a name or an id is not repeated in the error", async () => {
  const number = "4242424242424242";
  for (const reply of [
    await shop.get(`/charges/${number}`),
    await shop.post("/charges", { ...visa, [number]: "1" }),
    await shop.post("/charges", { ...visa, payment_method_id: number }),
  ]) {
    assert.ok(reply.status === 400 || reply.status === 404, reply.text);
    assert.doesNotMatch(reply.text, /4242/);
  }
});

test("400: a card number in the wrong field is repeated neither in the response nor in the log", async () => {
  const number = "4242424242424242";
  const before = shop.log.length;
  for (const body of [
    { amount: 100, currency: "usd", payment_method_id: "pm_card_visa", number },
    { amount: number, currency: "usd", payment_method_id: "pm_card_visa" },
    { amount: 100, currency: "usd", payment_method_id: "pm_card_visa", description: [number] },
  ]) {
    const reply = await shop.post("/charges", body);
    assert.equal(reply.status, 400);
    assert.ok(!reply.text.includes(number), reply.text);
  }
  assert.ok(!JSON.stringify(shop.log.slice(before)).includes(number));
});

test("400 and 431: invalid HTTP gets the standard error envelope, and the connection is closed", async () => {
  const conflicting = `POST ${charges} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`;
  const long = `GET ${charges} HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`;
  for (const [text, status] of [
    ["HELLO\r\n\r\n", 400],
    [`GET ${charges} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400],
    [`GET ${charges} HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n`, 400],
    [conflicting, 400],
    [long, 431],
  ] as const) {
    const received = await sendRawBytes(shop.url, text);
    const [head = "", body = ""] = received.split("\r\n\r\n");
    assert.ok(head.startsWith(`HTTP/1.1 ${status} `), head);
    const [, id] = /request-id: (req_[0-9a-z]{26})/i.exec(head) ?? [];
    const { error } = JSON.parse(body);
    assert.deepEqual([error.type, error.request_id], ["invalid_request_error", id]);
  }
});

test("400: a URL with a character that is not percent-encoded is rejected with the fix", async () => {
  const received = await sendRawBytes(
    shop.url,
    `GET ${charges}?customer_email=Müller@example.com HTTP/1.1\r\nHost: a\r\n\r\n`,
  );
  assert.match(
    received,
    /^HTTP\/1\.1 400 .*"message":"The URL contains a character that is not allowed.*Percent-encode/s,
  );
});

test("401: rejects two Authorization headers with the standard error envelope", async () => {
  const received = await sendRawBytes(
    shop.url,
    `GET ${charges} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.merchant.key}\r\nauthorization: Bearer ${shop.otherMerchant.key}\r\nConnection: close\r\n\r\n`,
  );
  const [head = "", body = ""] = received.split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 401 /);
  assert.match(head, /www-authenticate: Bearer/i);
  const { error } = JSON.parse(body);
  assert.deepEqual([error.type, error.code], ["authentication_error", "api_key_malformed"]);
});

test("400: rejects a malformed Host header on every route", async () => {
  for (const path of ["/auth/v1/me", charges, "/docs", "/"]) {
    for (const host of [
      "",
      "a b",
      "a/b",
      "a:99999999",
      "[::1",
      "user@a",
      "a?b",
      "1.2.3.4.5",
      "%",
    ]) {
      const received = await sendRawBytes(
        shop.url,
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      assert.match(received, /^HTTP\/1\.1 400 .*"code":"request_malformed"/s, `${path} ${host}`);
    }
  }
});

test("an unknown Expect header is ignored", async () => {
  const received = await sendRawBytes(
    shop.url,
    `GET /openapi.json HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n`,
  );
  assert.match(received, /^HTTP\/1.1 200 /);
});

for (const path of [
  "/api/v1/refund_everything",
  "/api/v2/charges",
  "/nothing",
  "/api/v1/charges/a/b",
]) {
  test(`404: ${path} is not an endpoint, and the error has the standard envelope`, async () => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const reply = await shop.send(method, path, { headers });
      assert.deepEqual(errorOf(reply), [404, "invalid_request_error", "endpoint_unknown"]);
    }
  });
}

test("404: a trailing slash is rejected, and the message names the correct path", async () => {
  const key = "slash";
  const { id } = (await shop.post("/charges", visa)).body;
  for (const [method, path, right] of [
    ["POST", `${charges}/`, charges],
    ["GET", `${charges}/`, charges],
    ["GET", "/api/v1/account/", "/api/v1/account"],
    ["POST", `${charges}/${id}/capture/`, `${charges}/${id}/capture`],
    ["POST", `${charges}//`, charges],
    ["GET", "/auth/v1/me/", "/auth/v1/me"],
  ] as const) {
    const sent = { ...headers, "idempotency-key": key };
    const reply = await shop.send(method, path, {
      headers: sent,
      ...(method === "POST" && { body: visa }),
    });
    assert.deepEqual(errorOf(reply), [404, "invalid_request_error", "endpoint_unknown"], path);
    assert.ok(reply.body.error.message.includes(`Send the request to ${right},`), reply.text);
  }
  const empty = await shop.send("POST", `${charges}//capture`, { headers, body: {} });
  assert.deepEqual(errorOf(empty), [404, "invalid_request_error", "endpoint_unknown"]);
});

test("404: a path that is not a valid URL, or contains an overlong id, is not an endpoint", async () => {
  for (const path of [`${charges}/%zz`, `${charges}/${"a".repeat(300)}`]) {
    assert.deepEqual(errorOf(await shop.send("GET", path, { headers })), [
      404,
      "invalid_request_error",
      "endpoint_unknown",
    ]);
  }
});

for (const [path, allow] of [
  ["/api/v1/charges", "POST, GET, HEAD"],
  ["/api/v1/%63harges", "POST, GET, HEAD"],
  ["/api/v1/charges/ch_1", "GET, HEAD, POST"],
  ["/api/v1/charges.csv", "GET, HEAD"],
  ["/api/v1/account", "GET, HEAD, POST"],
  ["/api/v1/webhook_endpoints/we_1", "GET, HEAD, POST, DELETE"],
  ["/openapi.json", "GET, HEAD"],
] as const) {
  test(`405: ${path} with another method returns the methods that the path allows`, async () => {
    for (const method of ["PUT", "PATCH", "OPTIONS", "QUERY", "PROPFIND"]) {
      const reply = await shop.send(method, path, { headers });
      assert.deepEqual(errorOf(reply), [405, "invalid_request_error", "method_not_allowed"]);
      assert.equal(reply.headers.get("allow"), allow);
    }
  });
}

test("413: rejects a body of more than 64 KiB without reading it, and accepts exactly 64 KiB", async () => {
  const bodyOf = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`;
  assert.equal(bodyOf(100).length, 100);
  const larger = await shop.send("POST", charges, { headers, body: bodyOf(65_537) });
  assert.deepEqual(errorOf(larger), [413, "invalid_request_error", "body_too_large"]);
  const just = await shop.send("POST", charges, { headers, body: bodyOf(65_536) });
  assert.deepEqual(errorOf(just), [400, "invalid_request_error", "parameter_unknown", "a"]);
});

test("415: rejects a body that is not declared as JSON, and does not read the body", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "",
  ]) {
    const reply = await shop.send("POST", charges, {
      headers: { ...headers, "content-type": type },
      body: '{"amount":100}',
    });
    assert.deepEqual(errorOf(reply), [415, "invalid_request_error", "content_type_unsupported"]);
  }
});

test("415: rejects compressed bodies and other charsets without executing the request", async () => {
  const before = (await shop.get("/charges?limit=1")).body.data[0]?.id;
  for (const encoding of ["gzip", "deflate", "br", "zstd", "gzip, identity", "x-unknown"]) {
    const reply = await shop.send("POST", charges, {
      headers: { ...headers, "content-encoding": encoding },
      body: visa,
    });
    const expected = [415, "invalid_request_error", "content_type_unsupported"];
    assert.deepEqual(errorOf(reply), expected, encoding);
    assert.equal(reply.headers.get("accept-encoding"), "identity");
  }
  for (const charset of ["iso-8859-1", "utf-16", '"utf-16le"', "latin1", ""]) {
    const reply = await shop.send("POST", charges, {
      headers: { ...headers, "content-type": `application/json; charset=${charset}` },
      body: visa,
    });
    const expected = [415, "invalid_request_error", "content_type_unsupported"];
    assert.deepEqual(errorOf(reply), expected, charset);
  }
  assert.equal((await shop.get("/charges?limit=1")).body.data[0]?.id, before);
});

test("the content type, the encoding and the body of a GET and a DELETE are ignored", async () => {
  const declared = [
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded; charset=latin1" },
    { "content-type": "application/json", "content-encoding": "gzip" },
    { "content-type": "" },
  ];
  for (const type of declared) {
    for (const body of [undefined, "not JSON", "x".repeat(65_537)]) {
      const { id } = (await shop.post("/customers", {})).body;
      const sent = { headers: { ...headers, ...type }, ...(body && { body }) };
      const deleted = await shop.send("DELETE", `/api/v1/customers/${id}`, sent);
      assert.equal(deleted.status, 200, deleted.text);
    }
    const read = await shop.send("GET", "/api/v1/account", { headers: { ...headers, ...type } });
    assert.equal(read.status, 200, read.text);
  }
});

test("accepts a body declared as JSON in UTF-8 with identity encoding", async () => {
  for (const sent of [
    { "content-type": "application/json; charset=utf-8" },
    { "content-type": 'application/json;charset="UTF-8"' },
    { "content-type": "application/json", "content-encoding": "identity" },
  ]) {
    const reply = await shop.send("POST", charges, {
      headers: { ...headers, ...sent },
      body: visa,
    });
    assert.equal(reply.status, 201, reply.text);
  }
});

test("400: rejects a query parameter of a POST even on a replay, but a conflict of the idempotency key takes precedence", async () => {
  const key = "query";
  const first = await shop.post("/charges", visa, { key });
  assert.equal(first.status, 201);
  const replay = await shop.post("/charges?expand=customer", visa, { key });
  const expected = [400, "invalid_request_error", "parameter_unknown", "expand"];
  assert.deepEqual(errorOf(replay), expected);
  const other = await shop.post("/charges?expand=customer", { ...visa, amount: 101 }, { key });
  assert.deepEqual(errorOf(other), [422, "idempotency_error", "idempotency_key_in_use"]);
});

test("500: an internal error reveals no details, is logged with its request id, and can be retried safely", async () => {
  const browser = await createCheckout(shop);
  const { database } = shop.app;
  await database.transaction((tx) => tx`alter table checkout_sessions rename to hidden`);
  const path = `/checkout_sessions/${browser.session}`;
  const failed = await shop.get(path);
  const stored = await shop.post(
    "/checkout_sessions",
    { amount: 100, currency: "usd" },
    { key: "f" },
  );
  await database.transaction((tx) => tx`alter table hidden rename to checkout_sessions`);

  assert.deepEqual(errorOf(failed), [500, "api_error", "internal_error"]);
  assert.doesNotMatch(failed.text, /checkout_sessions|relation|select|postgres|\.ts|at /i);
  const line = shop.log.find(({ request }) => request === failed.headers.get("request-id"));
  assert.match(JSON.stringify(line), /checkout_sessions/);

  assert.equal((await shop.get(path)).status, 200);
  assert.equal(stored.status, 500);
  const again = await shop.post(
    "/checkout_sessions",
    { amount: 100, currency: "usd" },
    { key: "f" },
  );
  assert.equal(again.status, 201);
  assert.equal(again.headers.get("idempotent-replayed"), null);
});
