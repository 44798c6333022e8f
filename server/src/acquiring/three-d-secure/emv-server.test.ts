import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CardNumber } from "../../vault/card-number.ts";
import { createEmvServer } from "./emv-server.ts";
import type { AReq } from "./message.ts";
import { readMessage } from "./read-message.ts";
import { exchangeLimits } from "./send-message.ts";
import type { AuthenticateRequest } from "./three-d-secure-server.ts";

/** The messages that the test's directory server has received. Each test sets its response with `respond`. */
const received: string[] = [];
let respond: (body: string) => string | null = () => null;
const http = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  received.push(body);
  const text = respond(body);
  if (text !== null) response.setHeader("content-type", "application/json").end(text);
});
http.listen(0, "127.0.0.1");
await once(http, "listening");
after(() => {
  http.closeAllConnections();
  http.close();
});

const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead) };
const open = (responseTimeoutMs = 10_000) =>
  createEmvServer({
    clock,
    directoryUrl: () => url,
    requestorUrl: () => "https://pay.example",
    timing: { responseTimeoutMs },
  });

const transactionId = "0b7c1f56-5c1a-4f0e-9a69-0f3d5f4b8a11";
const other = "7f1f2d0a-3a0e-4d7b-8d1a-55a0e4d0c622";
const card = {
  number: new CardNumber("4000003170000000"),
  expMonth: 3,
  expYear: 2031,
  securityCode: null,
  postalCode: null,
  addressLine1: null,
};
const request: AuthenticateRequest = {
  transactionId,
  version: "2.2.0",
  card,
  purpose: "payment",
  price: { amountMinor: 1999, currency: "eur" },
  purchasedAt: new Date("2026-05-15T12:03:04Z"),
  merchant: { id: "acct_01", name: `${"x".repeat(39)}😀 and more`, country: "DE" },
  methodCompletion: "Y",
  demanded: false,
  browser: {
    browserAcceptHeader: "*/*",
    browserUserAgent: "Browser/1",
    browserLanguage: "de",
    browserJavascriptEnabled: true,
  },
  notificationUrl: "https://pay.example/n",
  resultsUrl: "https://pay.example/r",
};

const ares = {
  messageType: "ARes",
  messageVersion: "2.2.0",
  threeDSServerTransID: transactionId,
  dsTransID: other,
  acsTransID: other,
  acsReferenceNumber: "bank",
  dsReferenceNumber: "directory",
  transStatus: "N",
};

test("the AReq is complete, valid and reflects the request", async () => {
  respond = () => JSON.stringify(ares);
  const result = await open().authenticate(request);
  assert.equal(result.kind, "responded");
  const read = readMessage("AReq", received.at(-1) as string);
  assert.ok(read.kind === "message");
  const areq: AReq = read.message;
  assert.deepEqual(
    [areq.acctNumber, areq.cardExpiryDate, areq.purchaseAmount, areq.purchaseCurrency],
    ["4000003170000000", "3103", "1999", "978"],
  );
  assert.deepEqual(
    [areq.purchaseExponent, areq.purchaseDate, areq.merchantCountryCode, areq.threeDSCompInd],
    ["2", "20260515120304", "276", "Y"],
  );
  assert.equal(areq.merchantName, `${"x".repeat(39)}😀`);
});

test("the request for a card that is saved is a non-payment authentication that mandates a challenge", async () => {
  respond = () => JSON.stringify(ares);
  const price = { amountMinor: 0, currency: "eur" } as const;
  await open().authenticate({ ...request, purpose: "add_card", price });
  const read = readMessage("AReq", received.at(-1) as string);
  assert.ok(read.kind === "message");
  const { messageCategory, ...areq }: AReq = read.message;
  assert.deepEqual(
    [
      messageCategory,
      areq.threeDSRequestorAuthenticationInd,
      areq.threeDSRequestorChallengeInd,
      areq.purchaseAmount,
    ],
    ["02", "04", "04", "0"],
  );
});

test("an upper-case transaction id in a response is accepted", async () => {
  respond = () => JSON.stringify({ ...ares, threeDSServerTransID: transactionId.toUpperCase() });
  assert.equal((await open().authenticate(request)).kind, "responded");
});

for (const [what, text, why] of [
  ["no response", null, "timeout"],
  ["an Erro", erro(), "rejected"],
  ["an HTML page", "<html>502</html>", "invalid_response"],
  ["a truncated message", JSON.stringify(ares).slice(0, 80), "invalid_response"],
  [
    "a message of another type",
    JSON.stringify({ ...ares, messageType: "RRes" }),
    "invalid_response",
  ],
  [
    "an ARes without transStatus",
    JSON.stringify({ ...ares, transStatus: undefined }),
    "invalid_response",
  ],
  [
    "the ARes of another transaction",
    JSON.stringify({ ...ares, threeDSServerTransID: other }),
    "invalid_response",
  ],
  ["a challenge without acsURL", JSON.stringify({ ...ares, transStatus: "C" }), "invalid_response"],
  [
    "a success without a cryptogram",
    JSON.stringify({ ...ares, transStatus: "Y" }),
    "invalid_response",
  ],
] as const) {
  test(`a directory server that returns ${what} is unavailable, without an exception`, async () => {
    respond = () => text;
    const result = await open(text === null ? 300 : undefined).authenticate(request);
    assert.deepEqual(result, { kind: "unavailable", why });
  });
}

test("an Erro about an unusable message names the element without its value", async () => {
  respond = () => JSON.stringify({ ...ares, transStatus: "C" });
  await open().authenticate(request);
  while (!received.at(-1)?.includes('"Erro"')) await new Promise(setImmediate);
  const { errorCode, errorDetail, errorComponent } = JSON.parse(received.at(-1) as string);
  assert.deepEqual([errorCode, errorDetail, errorComponent], ["201", "acsURL", "S"]);
});

test("card ranges are requested once an hour, and a stale list is used if the update fails", async () => {
  const server = open();
  respond = ranges;
  const before = received.length;
  const found = { kind: "enrolled", version: "2.2.0", methodUrl: "https://bank.example/m" };
  assert.deepEqual(await server.lookUp(card), found);
  const elsewhere = { ...card, number: new CardNumber("4000003200000004") };
  assert.deepEqual(await server.lookUp(elsewhere), { kind: "unavailable" });
  assert.equal(received.length, before + 1);

  clock.ahead += 61 * 60_000;
  respond = () => "gone";
  assert.deepEqual(await server.lookUp(card), found);
  assert.deepEqual(await open().lookUp(card), { kind: "unavailable" });
});

test("a directory server that never responds holds a bounded number of connections, and each request ends in time", async () => {
  const before = received.length;
  respond = () => null;
  const { maxRunning, maxWaiting } = exchangeLimits;
  const server = open(2_500);
  const requests = Array.from({ length: maxRunning + maxWaiting + 20 }, () =>
    server.authenticate(request),
  );
  while (received.length - before < maxRunning) await sleep(10);
  await sleep(200);
  assert.equal(received.length - before, maxRunning);
  const outcomes = await Promise.all(requests);
  assert.ok(outcomes.every(({ kind }) => kind === "unavailable"));
});

test("concurrent payments share one request for the card ranges", async () => {
  const before = received.length;
  respond = ranges;
  const server = open();
  const found = await Promise.all(Array.from({ length: 20 }, () => server.lookUp(card)));
  assert.ok(found.every(({ kind }) => kind === "enrolled"));
  assert.equal(received.slice(before).filter((body) => body.includes('"PReq"')).length, 1);
});

test("reading stops at the size limit of a message", async () => {
  respond = () => JSON.stringify({ ...ares, cardholderInfo: "x".repeat(5 * 1024 * 1024) });
  assert.deepEqual(await open().authenticate(request), { kind: "unavailable", why: "timeout" });
});

/** Returns a PRes with a list of card ranges. */
function ranges(requested: string): string {
  return JSON.stringify({
    messageType: "PRes",
    messageVersion: "2.2.0",
    threeDSServerTransID: JSON.parse(requested).threeDSServerTransID,
    dsTransID: other,
    serialNum: "1",
    cardRangeData: [
      {
        startRange: "4000003100000000",
        endRange: "4000003199999999",
        acsStartProtocolVersion: "2.1.0",
        acsEndProtocolVersion: "2.2.0",
        threeDSMethodURL: "https://bank.example/m",
      },
    ],
  });
}

function erro(): string {
  return JSON.stringify({
    messageType: "Erro",
    messageVersion: "2.2.0",
    errorCode: "404",
    errorComponent: "D",
    errorDescription: "Permanent System Failure",
    errorDetail: "-",
  });
}
