import assert from "node:assert/strict";
import { after, test } from "node:test";
import { systemClock } from "../../core/clock.ts";
import { ok } from "./route.ts";
import { createSecondOrigin } from "./second-origin.ts";
import { sendResponse } from "./send-response.ts";
import { createServer } from "./server.ts";

for (const url of ["https://wallets.example.com", "https://wallets.example.com.:8443"]) {
  test(`the host name of ${url} selects the second origin with every port and with a dot`, async () => {
    const http = createServer({
      clock: systemClock,
      baseUrl: () => "https://pay.example.com",
      log: { fault: assert.fail },
      secondOrigin: createSecondOrigin(() => url),
    });
    after(() => http.close());
    http.get("/charges", (_request, reply) => sendResponse(reply, ok({})));
    const statusAt = async (host: string) =>
      (await http.inject({ url: "/charges", headers: { host } })).statusCode;
    for (const port of ["", ":443", ":8443", ":80", ":1"]) {
      assert.equal(await statusAt(`wallets.example.com${port}`), 404, port);
      assert.equal(await statusAt(`Wallets.Example.com.${port}`), 404, port);
      assert.equal(await statusAt(`pay.example.com${port}`), 200, port);
    }
  });
}
