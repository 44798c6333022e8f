import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { operationDescriptions } from "@florin/contract/operation-descriptions.ts";
import {
  ApiError,
  AuthenticationError,
  CardError,
  ConnectionError,
  Florin,
  FlorinError,
  IdempotencyError,
  InvalidRequestError,
  RateLimitError,
  responseOf,
} from "./florin.ts";
import {
  destroyConnection,
  error,
  json,
  type Reply,
  scriptedService,
  silence,
} from "./scripted-service.ts";

const secretKey = "sk_test_a_key_for_the_tests";
const card = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" } as const;
const missing = { type: "invalid_request_error", code: "resource_missing", message: "No such." };
const busy = { type: "api_error", code: "service_unavailable", message: "Try again." };

test("a POST sends the API key, the version, the body and a generated idempotency key", async () => {
  await using service = await scriptedService(json(201, { id: "ch_1" }), json(201, { id: "ch_2" }));
  const florin = new Florin(secretKey, { baseUrl: `${service.baseUrl}/` });

  assert.equal((await florin.charges.create(card)).id, "ch_1");
  await florin.charges.create(card);

  const [first, second] = service.received;
  assert.equal(first?.method, "POST");
  assert.equal(first?.url, "/api/v1/charges");
  assert.equal(first?.headers.authorization, `Bearer ${secretKey}`);
  assert.deepEqual(JSON.parse(first?.body ?? ""), card);
  assert.match(String(first?.headers["idempotency-key"]), /^[0-9a-f-]{36}$/);
  assert.notEqual(first?.headers["idempotency-key"], second?.headers["idempotency-key"]);
});

test("a file is uploaded with its media type and downloaded as bytes", async () => {
  const content = Buffer.from("%PDF-1.7");
  await using service = await scriptedService(
    json(201, { id: "file_1" }),
    json(200, { bytes: true }),
  );
  const florin = new Florin(secretKey, service);
  await florin.disputeFiles.create({
    dispute_id: "dp_1",
    file_name: "a b.pdf",
    media_type: "application/pdf",
    content,
  });
  const bytes = await (await florin.disputeFiles.download("file_1")).bytes();

  const [upload, download] = service.received;
  assert.equal(upload?.url, "/api/v1/dispute_files?dispute_id=dp_1&file_name=a+b.pdf");
  assert.equal(upload?.headers["content-type"], "application/pdf");
  assert.match(String(upload?.headers["idempotency-key"]), /^[0-9a-f-]{36}$/);
  assert.equal(upload?.body, "%PDF-1.7");
  assert.equal(download?.url, "/api/v1/dispute_files/file_1/content");
  assert.deepEqual(Buffer.from(bytes), Buffer.from('{"bytes":true}'));
});

test("an optional field of a request may be null, even in a nested object", async () => {
  await using service = await scriptedService(json(201, { session: { id: "cs_1" } }));
  const florin = new Florin(secretKey, service);
  const session = {
    amount: 1999,
    currency: "usd",
    description: null,
    billing_details: { name: null, address: { line1: null, country: "DE" } },
    metadata: { order: "1", note: null },
  };

  await florin.checkoutSessions.create(session);

  assert.deepEqual(JSON.parse(service.received[0]?.body ?? ""), session);
});

test("a POST is retried with the same key after a lost response, a truncated response or a 503", async () => {
  await using service = await scriptedService(
    destroyConnection,
    (response) => response.destroy(),
    error(503, busy),
    json(201, { id: "ch_1" }),
  );
  const florin = new Florin(secretKey, { ...service, maxRetries: 3 });

  assert.equal((await florin.charges.create(card)).id, "ch_1");

  assert.equal(service.received.length, 4);
  assert.equal(new Set(service.received.map((each) => each.headers["idempotency-key"])).size, 1);
  assert.equal(new Set(service.received.map((each) => each.body)).size, 1);
});

test("a DELETE that returns 404 after a lost response counts as the deletion", async () => {
  const lost = [destroyConnection, error(404, missing), error(502, busy), error(404, missing)];
  await using service = await scriptedService(...lost, ...lost);
  const florin = new Florin(secretKey, service);
  const [customer, rule, entry, endpoint] = [
    await florin.customers.delete("cus_1"),
    await florin.rules.delete("rule_1"),
    await florin.listEntries.delete("lst_1"),
    await florin.webhookEndpoints.delete("we_1"),
  ];
  assert.deepEqual(customer, { id: "cus_1", object: "customer", deleted: true });
  assert.deepEqual(rule, { id: "rule_1", object: "rule", deleted: true });
  assert.deepEqual(entry, { id: "lst_1", object: "list_entry", deleted: true });
  assert.deepEqual(endpoint, { id: "we_1", object: "webhook_endpoint", deleted: true });
});

test("a 404 is an error for a DELETE without a lost response and for a retried GET", async () => {
  const tooMany = { type: "rate_limit_error", code: "rate_limit_exceeded", message: "" };
  const unknown = { ...missing, code: "endpoint_unknown" };
  const erase = (florin: Florin): Promise<unknown> => florin.customers.delete("cus_1");
  const cases = [
    ["a DELETE at the first attempt", [error(404, missing)], erase],
    ["a DELETE after a 429", [error(429, tooMany), error(404, missing)], erase],
    ["a DELETE at an unknown endpoint", [destroyConnection, error(404, unknown)], erase],
    [
      "a retried GET",
      [destroyConnection, error(404, missing)],
      (florin) => florin.customers.retrieve("cus_1"),
    ],
  ] satisfies [string, Reply[], (florin: Florin) => Promise<unknown>][];
  for (const [when, replies, request] of cases) {
    await using service = await scriptedService(...replies);
    const failure = await request(new Florin(secretKey, service)).catch((reason) => reason);
    assert.ok(failure instanceof InvalidRequestError && failure.status === 404, when);
    assert.equal(service.received.length, replies.length, when);
  }
});

test("an idempotency key from the caller is sent unchanged", async () => {
  await using service = await scriptedService(
    json(201, { session: { id: "cs_1" }, embed_url: "" }),
  );
  const florin = new Florin(secretKey, service);
  await florin.checkoutSessions.create(
    { amount: 500, currency: "usd" },
    { idempotencyKey: "order-7" },
  );
  assert.equal(service.received[0]?.headers["idempotency-key"], "order-7");
});

test("a request without a response times out at the deadline, and the error carries the idempotency key", async () => {
  await using service = await scriptedService(silence, silence);
  const florin = new Florin(secretKey, { ...service, timeoutMs: 100, maxRetries: 1 });

  const failure = await florin.charges.create(card).catch((reason) => reason);

  assert.ok(failure instanceof ConnectionError);
  assert.equal(failure.code, "timeout");
  assert.equal(service.received.length, 2);
  assert.equal(failure.idempotencyKey, service.received[1]?.headers["idempotency-key"]);
});

test("the error of a service that is not running names the address and the cause", async () => {
  const service = await scriptedService();
  const { baseUrl } = service;
  await service[Symbol.asyncDispose]();
  const florin = new Florin(secretKey, { baseUrl, maxRetries: 0 });
  const address = baseUrl.replace("http://", "");
  const problem = `No connection to ${baseUrl} (connect ECONNREFUSED ${address}). Check that the service is running and that \`baseUrl\` is its URL.`;
  await assert.rejects(florin.charges.retrieve("ch_1"), {
    code: "connection_failed",
    message: `${problem} Send the request again.`,
  });
  await assert.rejects(florin.charges.create(card), {
    message: `${problem} The request may have been executed. Send it again with the same idempotency key.`,
  });
});

test("the error of a failed TLS handshake or an untrusted certificate names the code and the fix", async () => {
  await using service = await scriptedService();
  const baseUrl = service.baseUrl.replace("http:", "https:");
  const florin = new Florin(secretKey, { baseUrl, maxRetries: 0 });
  await assert.rejects(florin.charges.retrieve("ch_1"), {
    code: "connection_failed",
    message: /^No TLS connection to https:\S+ \(E\w+\)\. Check that `baseUrl` begins with/,
  });
  for (const code of ["DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"]) {
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: { code } }));
    const untrusted = new Florin(secretKey, { baseUrl, maxRetries: 0, fetch });
    await assert.rejects(untrusted.charges.create(card), {
      message: new RegExp(`\\(${code}\\).+NODE_EXTRA_CA_CERTS.+same idempotency key\\.$`),
    });
  }
});

test("the error of a request without a complete response names the reason", async () => {
  await using service = await scriptedService(destroyConnection);
  const failureAt = (baseUrl: string) =>
    new Florin(secretKey, { baseUrl, maxRetries: 0 }).charges.create(card);
  await assert.rejects(failureAt(service.baseUrl), {
    code: "connection_failed",
    message: `No complete response from ${service.baseUrl}: other side closed. The request may have been executed. Send it again with the same idempotency key.`,
  });
  // The Fetch Standard forbids some ports.
  await assert.rejects(failureAt("http://localhost:6000"), {
    message: /^No complete response from http:\/\/localhost:6000: bad port\./,
  });
});

test("a value that cannot be sent is rejected without a request and without a retry", async () => {
  await using service = await scriptedService();
  const florin = new Florin(secretKey, service);
  const withAmount = (amount: unknown) =>
    florin.charges.create({ ...card, amount: amount as number });
  await assert.rejects(withAmount(1999n), { name: "TypeError", message: /BigInt/ });
  for (const idempotencyKey of ["a\nb", "№ 7"]) {
    await assert.rejects(florin.charges.create(card, { idempotencyKey }), {
      name: "TypeError",
      message: `\`idempotencyKey\` must contain only printable ASCII characters. Got ${JSON.stringify(idempotencyKey)}.`,
    });
  }
  for (const timeoutMs of [0, Number.POSITIVE_INFINITY, Number.NaN, 2 ** 31]) {
    const failure = {
      name: "TypeError",
      message: `\`timeoutMs\` must be from 1 to 2147483647. Got ${timeoutMs}.`,
    };
    await assert.rejects(florin.balance.retrieve({ timeoutMs }), failure);
    assert.throws(() => new Florin(secretKey, { ...service, timeoutMs }), failure);
  }
  assert.equal(service.received.length, 0);
});

test("a secret key that was copied or read incorrectly is rejected with the cause", () => {
  const problems = [
    [`${secretKey}\n`, /Got a key that contains white space\. Remove the white space\.$/],
    [`"${secretKey}"`, /Got a key in quotation marks\. Remove them\.$/],
    ["sk_test_…", /Got a key with the character "…"\. Copy the complete key\.$/],
  ] as const;
  for (const [key, message] of problems) {
    assert.throws(() => new Florin(key, { baseUrl: "https://pay.example.com" }), {
      name: "TypeError",
      message,
    });
  }
});

test("the base URL can be that of the API, which `npm start` prints", async () => {
  await using service = await scriptedService(json(200, { id: "ch_1" }));
  const florin = new Florin(secretKey, { baseUrl: `${service.baseUrl}/api/v1` });
  await florin.charges.retrieve("ch_1");
  assert.equal(service.received[0]?.url, "/api/v1/charges/ch_1");
});

test("a retry waits for Retry-After", async () => {
  const tooMany = { type: "rate_limit_error", code: "rate_limit_exceeded", message: "Slow down." };
  await using service = await scriptedService(
    error(429, tooMany, { "retry-after": "2" }),
    json(200, { id: "acct_1" }),
  );
  const before = performance.now();
  await new Florin(secretKey, service).account.retrieve();
  assert.ok(performance.now() - before >= 1_990, "came back before the two seconds were over");
});

test("a restricted key is accepted", async () => {
  await using service = await scriptedService(json(200, { object: "list", data: [] }));
  await new Florin("rk_test_reports", service).charges.list();
  assert.equal(service.received[0]?.headers.authorization, "Bearer rk_test_reports");
});

test("a Retry-After of one hour is returned in the error instead of being awaited", async () => {
  const tooMany = { type: "rate_limit_error", code: "rate_limit_exceeded", message: "Slow down." };
  await using service = await scriptedService(error(429, tooMany, { "retry-after": "3600" }));
  const failure = await new Florin(secretKey, service).account.retrieve().catch((reason) => reason);
  assert.ok(failure instanceof RateLimitError);
  assert.equal(failure.retryAfterSeconds, 3600);
  assert.equal(service.received.length, 1);
});

test("a decline is a CardError with its full details and is never retried", async () => {
  await using service = await scriptedService(
    error(402, {
      type: "card_error",
      code: "card_declined",
      message: "The card has too little money.",
      decline_code: "insufficient_funds",
      advice_code: "try_again_later",
      network_decline_code: "51",
      charge: "ch_9",
      request_id: "req_9",
      doc_url: "https://docs.test/card_declined",
    }),
  );
  const failure = await new Florin(secretKey, service).charges
    .create(card)
    .catch((reason) => reason);

  assert.ok(
    failure instanceof CardError && failure instanceof FlorinError && failure instanceof Error,
  );
  const { type, code, declineCode, adviceCode, networkDeclineCode, chargeId, requestId, status } =
    failure;
  assert.deepEqual(
    { type, code, declineCode, adviceCode, networkDeclineCode, chargeId, requestId, status },
    {
      type: "card_error",
      code: "card_declined",
      declineCode: "insufficient_funds",
      adviceCode: "try_again_later",
      networkDeclineCode: "51",
      chargeId: "ch_9",
      requestId: "req_9",
      status: 402,
    },
  );
  assert.equal(failure.message, "The card has too little money.");
  assert.equal(failure.docUrl, "https://docs.test/card_declined");
  assert.equal(service.received.length, 1);
});

test("each error type has a separate class, and only transient errors are retried", async () => {
  const expected = [
    [401, "authentication_error", AuthenticationError, 1],
    [400, "invalid_request_error", InvalidRequestError, 1],
    [404, "invalid_request_error", InvalidRequestError, 1],
    [422, "idempotency_error", IdempotencyError, 1],
    [500, "api_error", ApiError, 2],
    [503, "api_error", ApiError, 2],
    [429, "rate_limit_error", RateLimitError, 2],
    [400, "an_error_of_the_future", FlorinError, 1],
  ] as const;
  for (const [status, type, ErrorClass, tries] of expected) {
    const body = { type, code: "some_code", message: "", param: "amount" };
    const reply = error(status, body, { "request-id": "req_5" });
    await using service = await scriptedService(reply, reply, reply);
    const florin = new Florin(secretKey, { ...service, maxRetries: 1 });
    const failure = await florin.charges.create(card).catch((reason) => reason);
    assert.equal(failure.constructor, ErrorClass, `${status} ${type}`);
    assert.equal(failure.status, status);
    assert.equal(failure.param, "amount");
    assert.equal(failure.requestId, "req_5");
    assert.equal(service.received.length, tries, `${status} ${type}`);
  }
});

test("an HTML error page from a proxy is reported as such", async () => {
  await using service = await scriptedService((response) => {
    response.writeHead(404, { "content-type": "text/html" });
    response.end("<h1>nginx</h1>");
  });
  const failure = await new Florin(secretKey, service).events
    .retrieve("evt_1")
    .catch((reason) => reason);
  assert.ok(failure instanceof InvalidRequestError);
  assert.equal(failure.code, "response_unreadable");
});

test("an HTML page with a success status is reported with its status and not retried", async () => {
  await using service = await scriptedService((response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<h1>Welcome to nginx!</h1>");
  });
  const failure = await new Florin(secretKey, service).charges
    .create(card)
    .catch((reason) => reason);
  assert.ok(failure instanceof InvalidRequestError, String(failure));
  const { code, status, idempotencyKey, message } = failure;
  assert.deepEqual({ code, status }, { code: "response_unreadable", status: 200 });
  assert.equal(idempotencyKey, service.received[0]?.headers["idempotency-key"]);
  assert.match(message, /baseUrl/);
  assert.equal(service.received.length, 1);
});

test("a response that ends early is retried", async () => {
  const cutOff: Reply = (response) => {
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    response.end('{"id":"acct_');
  };
  await using service = await scriptedService(cutOff, json(200, { id: "acct_1" }));
  assert.equal((await new Florin(secretKey, service).account.retrieve()).id, "acct_1");
});

test("a redirect is not followed, so that the API key is sent to no other host", async () => {
  await using elsewhere = await scriptedService(json(200, {}));
  await using service = await scriptedService((response) => {
    response.writeHead(307, { location: elsewhere.baseUrl }).end();
  });
  await assert.rejects(new Florin(secretKey, service).charges.create(card), {
    code: "response_unreadable",
    message: `The response (HTTP 307) is a redirect to ${elsewhere.baseUrl}, which the client does not follow. Set \`baseUrl\` to the URL at which Florin responds.`,
  });
  assert.equal(elsewhere.received.length, 0);
});

test("a list iterates over all pages, each starting after the last item of the one before", async () => {
  const page = (ids: string[], has_more: boolean) =>
    json(200, {
      object: "list",
      url: "/api/v1/charges",
      has_more,
      data: ids.map((id) => ({ id })),
    });
  await using service = await scriptedService(page(["ch_5", "ch_4"], true), page(["ch_3"], false));

  const seen: string[] = [];
  const query = { limit: 2, status: "failed", created: { gte: 10 } } as const;
  for await (const charge of new Florin(secretKey, service).charges.list(query))
    seen.push(charge.id);

  assert.deepEqual(seen, ["ch_5", "ch_4", "ch_3"]);
  assert.deepEqual(
    service.received.map(({ url }) => decodeURIComponent(url)),
    [
      "/api/v1/charges?limit=2&status=failed&created[gte]=10",
      "/api/v1/charges?limit=2&status=failed&created[gte]=10&starting_after=ch_4",
    ],
  );
});

test("lists of statuses and metadata pairs are encoded as the API parses them", async () => {
  await using service = await scriptedService(
    json(200, { object: "list", url: "", has_more: false, data: [] }),
  );
  const query = { status: ["failed", "canceled"], metadata: { order: "a&b" } } as const;
  await new Florin(secretKey, service).charges.list(query);
  assert.deepEqual(
    service.received.map(({ url }) => decodeURIComponent(url)),
    ["/api/v1/charges?status=failed,canceled&metadata[order]=a&b"],
  );
});

test("a list with ending_before continues towards newer items", async () => {
  const page = (ids: string[], has_more: boolean) =>
    json(200, { object: "list", url: "", has_more, data: ids.map((id) => ({ id })) });
  await using service = await scriptedService(
    page(["evt_3", "evt_2"], true),
    page(["evt_4"], false),
  );
  const seen: string[] = [];
  const events = new Florin(secretKey, service).events.list({ ending_before: "evt_1" });
  for await (const event of events) seen.push(event.id);
  assert.deepEqual(seen, ["evt_2", "evt_3", "evt_4"]);
  assert.match(service.received[1]?.url ?? "", /ending_before=evt_3/);
});

test("awaiting a list returns one page", async () => {
  const list = { object: "list", url: "", has_more: true, data: [{ id: "dec_1" }] };
  await using service = await scriptedService(json(200, list));
  assert.deepEqual(await new Florin(secretKey, service).decisions.list(), list);
  assert.equal(service.received.length, 1);
});

test("a list request that fails before it is awaited rejects on await and does not crash the process", async () => {
  const wrong = { type: "invalid_request_error", code: "parameter_invalid", message: "" };
  const florin = new Florin(secretKey, {
    baseUrl: "https://pay.example.com",
    fetch: async () => Response.json({ error: wrong }, { status: 400 }),
  });
  const [awaited, iterated] = [florin.charges.list(), florin.charges.list()];
  // Both requests have failed after this wait. An unhandled rejection would fail this test, and would end the process
  // of a merchant's server.
  await sleep(50);

  await assert.rejects(awaited, InvalidRequestError);
  await assert.rejects(async () => {
    for await (const _ of iterated);
  }, InvalidRequestError);
});

test("an id cannot change the path, and an empty id is rejected without a request", async () => {
  await using service = await scriptedService(json(200, {}));
  const florin = new Florin(secretKey, service);
  await florin.paymentMethods.retrieve("../charges");
  assert.equal(service.received[0]?.url, "/api/v1/payment_methods/..%2Fcharges");
  assert.throws(() => florin.charges.retrieve(""), /must be a string that is not empty/);
});

test("an aborted call stops waiting and is not retried", async () => {
  await using service = await scriptedService(error(503, busy, { "retry-after": "30" }));
  const stop = new AbortController();
  const call = new Florin(secretKey, service).account.retrieve({ signal: stop.signal });
  const reason = new Error("the customer left");
  setTimeout(() => stop.abort(reason), 200);
  const failure = await call.catch((thrown) => thrown);
  assert.ok(failure instanceof ConnectionError);
  assert.deepEqual([failure.code, failure.cause], ["aborted", reason]);
  assert.equal(service.received.length, 1);
});

test("the error of an aborted call carries the idempotency key for the retry", async () => {
  await using service = await scriptedService(silence, json(201, { id: "ch_1" }));
  const florin = new Florin(secretKey, service);
  const stop = new AbortController();
  const call = florin.charges.create(card, { signal: stop.signal });
  const failed = call.catch((thrown) => thrown);
  while (service.received.length === 0) await sleep(5);
  stop.abort();
  const { idempotencyKey } = (await failed) as ConnectionError;
  await florin.charges.create(card, { idempotencyKey: idempotencyKey as string });
  const [first, second] = service.received.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(second, first);
  // If the signal is aborted before the call, the client sends nothing. The error still contains the key.
  const early = { signal: AbortSignal.abort(), idempotencyKey: "order-7" };
  const unsent = await florin.charges.create(card, early).catch((thrown) => thrown);
  assert.deepEqual([unsent.code, unsent.idempotencyKey], ["aborted", "order-7"]);
  assert.equal(service.received.length, 2);
});

test("responseOf returns the request ID of a successful response, and whether it was a replay", async () => {
  const list = { object: "list", has_more: false, data: [] };
  const replay = { "request-id": "req_1", "idempotent-replayed": "true" };
  await using service = await scriptedService(
    json(201, { id: "ch_1" }, replay),
    json(200, list, { "request-id": "req_2" }),
  );
  const florin = new Florin(secretKey, service);
  const charge = await florin.charges.create(card, { idempotencyKey: "order-7" });
  assert.deepEqual(responseOf(charge), {
    status: 201,
    requestId: "req_1",
    idempotencyKey: "order-7",
    replayed: true,
  });
  assert.equal(responseOf(await florin.charges.list()).requestId, "req_2");
  assert.deepEqual(charge, { id: "ch_1" });
  assert.throws(() => responseOf({ ...charge }), /does not come directly from a response/);
});

test("a download returns the CSV in pieces or as one text, and fails if the connection is lost", async () => {
  const csv: Reply = (response) => {
    response.writeHead(200, { "content-type": "text/csv", "request-id": "req_1" });
    response.write("id,name\nch_1,");
    response.end("fé\n");
  };
  const lost: Reply = (response) => {
    response.writeHead(200, { "content-type": "text/csv" });
    response.write("id\n");
    setImmediate(() => response.destroy());
  };
  const replies = [csv, error(503, busy), csv, lost, error(404, missing)];
  await using service = await scriptedService(...replies);
  const florin = new Florin(secretKey, service);
  const download = await florin.charges.download({ status: "failed", created: { gte: 5 } });
  assert.equal(download.requestId, "req_1");
  assert.equal(await download.text(), "id,name\nch_1,fé\n");
  const url = "/api/v1/charges.csv?status=failed&created%5Bgte%5D=5";
  assert.equal(service.received[0]?.url, url);
  let text = "";
  for await (const piece of await florin.balanceTransactions.download()) text += piece;
  assert.equal(text, "id,name\nch_1,fé\n");
  await assert.rejects(async () => (await florin.charges.download()).text());
  await assert.rejects(florin.charges.download(), InvalidRequestError);
});

test("the client has a method for every operation of the API, except the event stream", () => {
  const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  const florin = new Florin(secretKey, { baseUrl: "https://pay.example.com" });
  const missing = Object.keys(operationDescriptions).filter((id) => {
    let found: unknown = florin;
    for (const name of id.split(".")) found = (found as Record<string, unknown>)?.[camelCase(name)];
    return typeof found !== "function";
  });
  assert.deepEqual(missing, ["events.stream"]);
});

test("the test helpers send the requests of the API reference", async () => {
  await using service = await scriptedService(...Array(5).fill(json(200, {})));
  const { testHelpers } = new Florin(secretKey, service);
  await testHelpers.clock.advance({ seconds: 60 });
  await testHelpers.disputes.create({ charge_id: "ch_1" });
  await testHelpers.disputes.close("dp_1", { outcome: "won" });
  await testHelpers.refunds.fail("re_1");
  await testHelpers.payouts.fail("po_1");
  assert.deepEqual(
    service.received.map(({ method, url }) => `${method} ${url}`),
    [
      "POST /api/v1/test_helpers/clock/advance",
      "POST /api/v1/test_helpers/disputes",
      "POST /api/v1/test_helpers/disputes/dp_1/close",
      "POST /api/v1/test_helpers/refunds/re_1/fail",
      "POST /api/v1/test_helpers/payouts/po_1/fail",
    ],
  );
});

test("a fetch that replaces the global one after the client is created is used", async (t) => {
  const florin = new Florin(secretKey, { baseUrl: "http://127.0.0.1:9", maxRetries: 0 });
  t.mock.method(globalThis, "fetch", async () => Response.json({ id: "ch_mocked" }));
  assert.equal((await florin.charges.retrieve("ch_1")).id, "ch_mocked");
});

test("a custom fetch is accepted, and an invalid API key is rejected without a request", async () => {
  const florin = new Florin(secretKey, {
    baseUrl: "https://pay.example.com",
    fetch: async (url) => Response.json({ id: String(url) }),
  });
  assert.equal((await florin.account.retrieve()).id, "https://pay.example.com/api/v1/account");
  assert.throws(() => new Florin("pk_test_1", { baseUrl: "https://pay.example.com" }), /sk_test_/);
});

test("a client without a base URL throws an error that names the option", () => {
  const build = Florin as new (key: string, options?: object) => Florin;
  const wanted = (given: string) => ({
    name: "TypeError",
    message: `baseUrl must be the URL of the service: new Florin(secretKey, { baseUrl: "https://pay.example.com" }). Got ${given}.`,
  });
  assert.throws(() => new build(secretKey), wanted("undefined"));
  assert.throws(() => new build(secretKey, {}), wanted("undefined"));
  for (const baseUrl of ["", "pay.example.com", "localhost:4242"]) {
    assert.throws(() => new build(secretKey, { baseUrl }), wanted(`"${baseUrl}"`));
  }
  for (const baseUrl of ["https://user:password@pay.example.com", "https://pay.example.com/?a=b"]) {
    assert.throws(() => new build(secretKey, { baseUrl }), {
      name: "TypeError",
      message: "`baseUrl` must not contain a user name, a password, a query or a fragment.",
    });
  }
});

test("inspecting a client does not show its API key", () => {
  const florin = new Florin(secretKey, { baseUrl: "https://pay.example.com" });
  assert.doesNotMatch(
    inspect(florin, { depth: 9, showHidden: true }) + JSON.stringify(florin),
    /a_key/,
  );
});
