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

/** A PNG that takes about a second to inspect, because it has as many pixels as an image may have. */
const slowImage = png(4_472, 4_472);

function png(width: number, height: number): Buffer {
  const header = Buffer.from([...Array(8).fill(0), 8, 6, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const pixels = deflateSync(Buffer.alloc(height * (1 + 4 * width)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels)]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
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
  const file: EvidenceUpload = { content: slowImage, mediaType: "image/png" };
  const slow = [note("slow", file), note("slow", file)];
  // The inspections have started once the service has received both files.
  await sleep(200);
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
