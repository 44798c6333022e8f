import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sendRawBytes } from "../../../test/send-raw-bytes.ts";
import { ok } from "./route.ts";
import { sendResponse } from "./send-response.ts";
import { createServer } from "./server.ts";

let processed = 0;
const http = createServer({
  clock: {
    // The server reads the clock once for the ID of each request.
    now: () => {
      processed += 1;
      return new Date();
    },
  },
  baseUrl: () => "http://localhost",
  log: { fault: () => undefined },
});
http.get("/things", (_request, reply) => sendResponse(reply, ok({})));
after(() => http.close());
const url = await http.listen({ host: "127.0.0.1", port: 0 });

const request = "GET /things HTTP/1.1\r\nHost: a\r\n\r\n";
const faulty =
  "GET /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n";

for (const [name, text] of [
  ["after too many pipelined requests", ""],
  ["after the last request of a connection", faulty],
] as const) {
  test(`requests ${name} take no time to process`, async () => {
    processed = 0;
    await sendRawBytes(url, text + request.repeat(1_000));
    assert.ok(processed > 0 && processed < 20, `${processed} requests were processed`);
  });
}
