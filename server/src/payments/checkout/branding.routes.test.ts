import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import { newId } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { serveBranding } from "./branding.routes.ts";

test("concurrent responses with a logo share its bytes", async () => {
  const read = async () => [{ media_type: "image/png", content: Buffer.from("logo") }];
  const app = fastify();
  const sent: unknown[] = [];
  app.addHook("onSend", async (_request, _reply, payload) => {
    sent.push(payload);
    return payload;
  });
  serveBranding(app, { read: read as unknown as Sql });
  const path = `/branding/${newId("acct", new Date())}/logo.png`;
  for (let request = 0; request < 2; request++) {
    const { statusCode, body } = await app.inject(path);
    assert.deepEqual([statusCode, body], [200, "logo"]);
  }
  assert.equal(sent.length, 2);
  assert.equal(sent[0], sent[1]);
});
