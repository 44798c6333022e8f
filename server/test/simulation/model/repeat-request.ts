import assert from "node:assert/strict";
import fc from "fast-check";
import { expectRejection } from "./merchant.ts";
import { pick, type Step } from "./step.ts";

/** Repeats an earlier request, which returns the same response and has no effect. With another body, it is rejected. */
export const repeatRequest: fc.Arbitrary<Step> = fc
  .record({ which: fc.nat(20), differs: fc.boolean() })
  .map(({ which, differs }) => ({
    description: differs ? "reuse a key with another body" : "repeat an earlier request",
    async run(_model, merchant) {
      if (merchant.completedRequests.length === 0) return;
      const former = pick(merchant.completedRequests, which);
      if (differs) {
        const other = await merchant.again(former, { ...former.body, metadata: { other: "1" } });
        return expectRejection(other, "idempotency_key_in_use");
      }
      const { status, text, headers } = await merchant.again(former);
      assert.deepEqual([status, text], [former.status, former.text]);
      assert.equal(headers.get("idempotent-replayed"), "true", former.path);
    },
  }));
