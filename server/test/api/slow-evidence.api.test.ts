import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { closeChecked } from "../close-checked.ts";
import { errorOf, startShop } from "../shop.ts";
import { type EvidenceUpload, uploadEvidence } from "../upload-evidence.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const other = await shop.createMerchant();

const content = deflateSync(Buffer.alloc(1024 * 1024, "1 0 "));

/** Takes longer to inspect than the time limit, because it contains a gigabyte of compressed objects. */
const slowPdf = Buffer.concat([
  Buffer.from("%PDF-1.7\n"),
  ...Array.from({ length: 1_000 }, (_, index) => compressedObjects(index + 1)),
  Buffer.from("trailer\n<< /Size 1 >>\n%%EOF\n"),
]);

function compressedObjects(number: number): Buffer {
  return Buffer.concat([
    Buffer.from(
      `${number} 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Length ${content.length} /Filter /FlateDecode >>\nstream\n`,
    ),
    content,
    Buffer.from("\nendstream\nendobj\n"),
  ]);
}

async function openDispute(as: typeof other.key): Promise<string> {
  const payment = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  const charge = await shop.post("/charges", payment, { as });
  return (await shop.post("/test_helpers/disputes", { charge_id: charge.body.id }, { as })).body.id;
}

/** Repeats an upload while too many uploads are being received. */
async function upload(dispute: string, file: EvidenceUpload) {
  for (;;) {
    const reply = await uploadEvidence(shop, dispute, file);
    if (reply.status !== 429 || errorOf(reply)[2] !== "rate_limit_exceeded") return reply;
    await sleep(20);
  }
}

test("429: files that take long to inspect delay another merchant's file by at most one file, and only 10 of them wait", async () => {
  const { key } = shop.merchant;
  const dispute = await openDispute(key);
  const disputeOfOther = await openDispute(other.key);
  const finished: string[] = [];
  const note = async (name: string, file: EvidenceUpload, of = dispute) => {
    const reply = await upload(of, file);
    finished.push(name);
    return reply;
  };
  const slow = [note("slow", { content: slowPdf }), note("slow", { content: slowPdf })];
  // The inspections have started once the service has received both files.
  await sleep(500);
  const others = note("other", { as: other.key }, disputeOfOther);
  const replies = await Promise.all([
    ...slow,
    ...Array.from({ length: 11 }, () => note("own", {})),
    others,
  ]);
  assert.equal((await others).status, 201);
  assert.ok(finished.indexOf("other") < finished.lastIndexOf("slow"), finished.join());
  const rejected = replies.filter(({ status }) => status === 429);
  assert.deepEqual(
    rejected.map((reply) => errorOf(reply)[2]),
    Array.from({ length: 3 }, () => "concurrency_limit_exceeded"),
  );
});
