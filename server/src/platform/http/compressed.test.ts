import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import { createCompressed } from "./compressed.ts";

test("a rendering that failed is repeated by the next request", async () => {
  let renderings = 0;
  const sendText = createCompressed("text/plain", () => {
    renderings += 1;
    if (renderings === 1) throw new Error("not ready");
    return "ready";
  });
  const app = fastify();
  app.get("/text", sendText);
  const statuses = [];
  for (let request = 0; request < 3; request++) {
    statuses.push((await app.inject("/text")).statusCode);
  }
  assert.deepEqual(statuses, [500, 200, 200]);
  assert.equal(renderings, 2, "a rendering that succeeded is cached");
});
