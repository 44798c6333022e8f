import assert from "node:assert/strict";
import { test } from "node:test";
import { PDFDocument } from "@cantoo/pdf-lib";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import { inspectFile } from "./evidence-files.ts";

const inspect = (content: Buffer, mediaType: DocumentMediaType = "application/pdf") =>
  inspectFile({ mediaType, content });

async function pdf(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create();
  for (let page = 0; page < pages; page++) document.addPage([200, 300]);
  return Buffer.from(await document.save());
}

test("the pages of a PDF are counted", async () => {
  assert.deepEqual(await inspect(await pdf(3)), { kind: "readable", pages: 3 });
});

test("a PDF with too many pages is rejected", async () => {
  const { kind, problem } = (await inspect(await pdf(20))) as { kind: string; problem: string };
  assert.equal(kind, "unreadable");
  assert.match(problem, /has 20 pages, but at most 19/);
});

test("a damaged file with a valid beginning is rejected", async () => {
  const damaged = {
    kind: "unreadable",
    problem: "The file is damaged. Send a file that other programs can open.",
  };
  assert.deepEqual(await inspect(Buffer.from("%PDF-1.7 not a document")), damaged);
  assert.deepEqual(await inspect(Buffer.from([0xff, 0xd8, 0xff, 1, 2]), "image/jpeg"), damaged);
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  assert.deepEqual(await inspect(png, "image/png"), damaged);
});

test("a PNG with too many pixels is rejected before it is decoded", async () => {
  const header = Buffer.alloc(33);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(header);
  header.writeUInt32BE(100_000, 16);
  header.writeUInt32BE(100_000, 20);
  assert.deepEqual(await inspect(header, "image/png"), {
    kind: "unreadable",
    problem: "The image has more than 40 megapixels. Send a smaller image.",
  });
});

test("an encrypted PDF is rejected with the reason", async () => {
  const document = await PDFDocument.create();
  document.addPage();
  document.encrypt({ userPassword: "secret", ownerPassword: "owner" });
  assert.deepEqual(await inspect(Buffer.from(await document.save())), {
    kind: "unreadable",
    problem: "The PDF is encrypted. Send the PDF without a password.",
  });
});
