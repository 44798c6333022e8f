import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, test } from "node:test";
import { systemTimers } from "../../core/timers.ts";
import { AcquirerSecret } from "../connections/connection-secrets.ts";
import type { LiveNotification } from "../live-notification.ts";
import { fetchReport } from "./fetch-report.ts";

const details = JSON.stringify({
  id: "rpt_1",
  tags: ["payout_id:P1"],
  files: [{ id: "file_1" }],
});
const head =
  "Processing Channel ID,Action Type,Action ID,Payment ID,Processed On,Processing Currency,Holding Currency,Payout ID,Breakdown Type,Processing Currency Amount,Holding Currency Amount\n";
const rows = ["act_1", "act_2"].map(
  (action) =>
    `pc_fieldware,Capture,${action},pay_1,2026-11-26T18:07:06,GBP,GBP,P1,Capture,5.00,5.00\n`,
);

/**
 * Fetches a report whose details arrive complete. `fileResponse` is the HTTP response to the request for its file, and
 * `stored` that to a request for `/stored`.
 */
async function fetchWith(fileResponse: string, stored = "") {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (request) => {
      const [start = ""] = request.toString().split("\r\n");
      const whole = `HTTP/1.1 200 OK\r\ncontent-length: ${details.length}\r\n\r\n${details}`;
      const isStored = start.includes(" /stored ");
      socket.end(isStored ? stored : start.includes("/files/") ? fileResponse : whole);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const access = {
    origin: `http://127.0.0.1:${port}`,
    secrets: { apiKey: new AcquirerSecret("sk_fieldware") },
    timers: systemTimers,
    channel: "pc_fieldware",
  };
  return fetchReport(access, { acquirerReference: "rpt_1" } as LiveNotification);
}

const [first = "", second = ""] = rows;
const file = head + first + second;

test("a report whose download stops between two rows is downloaded again", async () => {
  const whole = await fetchWith(`HTTP/1.1 200 OK\r\ncontent-length: ${file.length}\r\n\r\n${file}`);
  assert.equal(whole.kind === "fetched" && whole.report.lines.length, 3);

  const received = head + first;
  for (const headers of [
    `content-length: ${file.length}\r\n`,
    `content-length: ${file.length}\r\nconnection: close\r\n`,
    // Without a length, the end of the connection would be the end of the file.
    "",
    "connection: close\r\n",
  ]) {
    const cut = await fetchWith(`HTTP/1.1 200 OK\r\n${headers}\r\n${received}`);
    assert.equal(cut.kind, "retry", JSON.stringify([headers, cut]));
  }
  const chunk = `${received.length.toString(16)}\r\n${received}\r\n`;
  for (const headers of ["", "connection: close\r\n"]) {
    const response = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n${headers}\r\n${chunk}`;
    assert.equal((await fetchWith(response)).kind, "retry", headers);
    assert.equal((await fetchWith(`${response}0\r\n\r\n`)).kind, "fetched", headers);
  }
});

test("the problem of a failed download names the server that rejected it", async () => {
  const rejected = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
  const moved = "HTTP/1.1 302 Found\r\nlocation: /stored\r\ncontent-length: 0\r\n\r\n";
  for (const [response, server] of [
    [rejected, "Checkout.com"],
    [moved, "127.0.0.1"],
  ] as const) {
    assert.deepEqual(await fetchWith(response, rejected), {
      kind: "review",
      problem: `The report could not be downloaded: ${server} returned status 403.`,
    });
  }
});
