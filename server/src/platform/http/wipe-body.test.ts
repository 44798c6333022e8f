import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../core/api-error.ts";
import { systemClock } from "../../core/clock.ts";
import { createServer } from "./server.ts";
import { wipeBodyAfterwards } from "./wipe-body.ts";

for (const outcome of ["accepted", "rejected"] as const) {
  test(`the raw body of a request is overwritten after it is ${outcome}`, async () => {
    const app = createServer({
      clock: systemClock,
      baseUrl: () => "http://127.0.0.1",
      log: { fault: (_, error) => assert.fail(String(error)) },
    });
    const bodies: Buffer[] = [];
    let readable = "";
    app.post("/cards", wipeBodyAfterwards, async (request) => {
      const body = request.body as Buffer;
      bodies.push(body);
      readable = body.toString();
      if (outcome === "rejected") throw new ApiError("parameter_invalid", "No.", {});
      return "{}";
    });
    const sent = JSON.stringify({ number: "4242424242424242" });
    const headers = { "content-type": "application/json" };
    await app.inject({ method: "POST", url: "/cards", headers, payload: sent });
    assert.equal(readable, sent, "the handler did not read the body");
    assert.deepEqual([...new Set(bodies[0])], [0]);
    await app.close();
  });
}
