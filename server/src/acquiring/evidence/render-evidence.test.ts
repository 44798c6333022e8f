import assert from "node:assert/strict";
import { test } from "node:test";
import type { DisputeResponse } from "../processor.ts";
import { previewResponse, renderResponse } from "./render-evidence.ts";

const limits = { maxBytes: 10 * 1024 * 1024, maxPages: 200 };

const responseOf = (text: string): DisputeResponse => ({
  account: "acct_00000000000000000000000000",
  networkCase: "7400000001",
  acquirerReference: null,
  charge: "ch_00000000000000000000000000",
  price: { amountMinor: 1_999, currency: "usd" },
  reason: "fraudulent",
  isInquiry: false,
  answer: { kind: "evidence", evidence: { uncategorized_text: text }, files: [] },
});

test("a response that is being sent does not wait for previews", async () => {
  const count = 3;
  let rendered = 0;
  const previews = Array.from({ length: count }, async () => {
    await previewResponse(responseOf("An ordinary line of evidence. ".repeat(20_000)), limits);
    rendered += 1;
  });
  const document = await renderResponse(responseOf("A mug."), limits);
  assert.equal(document.kind, "document");
  assert.ok(rendered < count, "all previews were rendered before the response");
  await Promise.all(previews);
});

test("a preview that exceeds the limits of its thread is rejected with the reason", async () => {
  const large = responseOf("An ordinary line of evidence. ".repeat(5_000_000));
  assert.deepEqual(await previewResponse(large, limits), {
    kind: "too_long",
    problem: "The evidence is too complex to render. Remove files, or upload simpler ones.",
  });
  assert.equal((await previewResponse(responseOf("A mug."), limits)).kind, "document");
});
