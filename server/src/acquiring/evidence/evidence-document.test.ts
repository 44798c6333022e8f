import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { PDFDocument } from "@cantoo/pdf-lib";
import { type EvidenceTexts, evidenceLabels } from "@florin/contract/evidence-fields.ts";
import type { DisputeAnswer, EvidenceFile } from "../processor.ts";
import { renderEvidence } from "./evidence-document.ts";
import { readTrueTypeFont } from "./true-type-font.ts";

const limits = { maxPages: 19, maxBytes: 2_000_000 };
const response = {
  networkCase: "00000000-0000-4000-8000-000000000001",
  acquirerReference: "DZ4DPSHB4WD2WN82",
  charge: "ch_01jb0000000000000000000001",
  price: { amountMinor: 1999, currency: "usd" },
  reason: "product_not_received",
  isInquiry: false,
} as const;

const render = (answer: DisputeAnswer, change: Partial<typeof limits> = {}) =>
  renderEvidence({ response: { ...response, answer }, limits: { ...limits, ...change } });

async function rendered(
  evidence: EvidenceTexts,
  files: readonly EvidenceFile[] = [],
): Promise<{ readonly pdf: Buffer; readonly pages: number }> {
  const document = await render({ kind: "evidence", evidence, files });
  assert(document.kind === "document");
  return document;
}

/** Returns the decompressed streams of the file. */
function streamsOf(pdf: Buffer): Buffer[] {
  const text = pdf.toString("latin1");
  return [...text.matchAll(/\/Length (\d+)[^>]*>>\nstream\n/g)].map((match) => {
    const start = match.index + match[0].length;
    return inflateSync(pdf.subarray(start, start + Number(match[1])));
  });
}

/** Returns the lines of all pages, read through the file's own map from glyphs to characters. */
function textIn(pdf: Buffer): string {
  const [, map, ...pages] = streamsOf(pdf);
  const characters = new Map(
    [...String(map).matchAll(/^<(\w{4})> <(\w+)>$/gm)].map(([, glyph, code]) => [
      glyph,
      Buffer.from(code as string, "hex")
        .swap16()
        .toString("utf16le"),
    ]),
  );
  return pages
    .flatMap((page) => [...String(page).matchAll(/<(\w*)> Tj/g)])
    .map(([, codes]) => (codes?.match(/.{4}/g) ?? []).map((code) => characters.get(code)).join(""))
    .join("\n");
}

test("the document contains the payment, the disputed amount and each field with its heading", async () => {
  const { pdf, pages } = await rendered({
    product_description: "A blue mug.\nWith a lid.",
    customer_name: "Zoë Łukasz",
  });
  assert.equal(pages, 1);
  assert.equal(
    textIn(pdf),
    `Response to the dispute of payment ch_01jb0000000000000000000001
Payment: ch_01jb0000000000000000000001
Disputed amount: 19.99 USD
Reason: product not received
Product description
A blue mug.
With a lid.
Customer name
Zoë Łukasz
ch_01jb0000000000000000000001 · Page 1 of 1`,
  );
});

test("Greek and Cyrillic text is kept, and a character without a glyph is replaced visibly", async () => {
  const { pdf } = await rendered({
    uncategorized_text: "Ελληνικά Кириллица € 中\u{D800}\u0007e\u0301",
  });
  assert.match(textIn(pdf), /^Ελληνικά Кириллица € ��é$/m);
});

test("the embedded font has the outlines of the used glyphs and of their parts", async () => {
  const [file] = streamsOf((await rendered({ customer_name: "é" })).pdf);
  assert.ok((file as Buffer).length < 100_000);
  const tables = (file as Buffer).readUInt16BE(4);
  assert.equal(tables, 9);
  // The embedded subset has no character map, because a PDF refers to glyphs by their numbers.
  assert.throws(() => readTrueTypeFont(file as Buffer), /cmap/);
});

test("each entry of the cross-reference table is the offset of its object", async () => {
  const text = await (await rendered({ customer_name: "Ada" })).pdf.toString("latin1");
  const start = Number(/startxref\n(\d+)/.exec(text)?.[1]);
  const [, size, entries] = /^xref\n0 (\d+)\n([\s\S]*?)trailer/.exec(text.slice(start)) ?? [];
  const offsets = (entries as string).trimEnd().split("\n").slice(1);
  assert.equal(offsets.length + 1, Number(size));
  for (const [index, entry] of offsets.entries()) {
    const object = text.slice(Number(entry.slice(0, 10)));
    assert.ok(object.startsWith(`${index + 1} 0 obj\n`), entry);
  }
});

const sentence = "The customer ordered two mugs, and we shipped them on the next day. ";
const long = (length: number) =>
  sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length);

test("the largest possible evidence fits into 19 pages in a smaller font", async () => {
  // The limit of a request is 64 KiB, so the texts of a response cannot be longer than this.
  const names = Object.keys(evidenceLabels);
  const texts = names.map((name) => [name, long(Math.floor(64_000 / names.length))]);
  const { pdf, pages } = await rendered(Object.fromEntries(texts));
  assert.ok(pages <= 19 && pdf.length < 500_000, `${pages} pages, ${pdf.length} bytes`);
  const words = textIn(pdf).split(/\s+/);
  assert.ok(
    words.filter((word) => word === "mugs,").length > 64_000 / sentence.length - 2 * names.length,
  );
});

test("evidence that exceeds a limit is reported with the limit", async () => {
  const evidence = { uncategorized_text: long(20_000) };
  const answer = { kind: "evidence", evidence, files: [] } as const;
  const pages = await render(answer, { maxPages: 1 });
  assert(pages.kind === "too_long");
  assert.match(pages.problem, /has 2 pages .* at most 1/);
  const bytes = await render(answer, { maxBytes: 10_240 });
  assert(bytes.kind === "too_long");
  assert.match(bytes.problem, /larger than 10 KiB/);
});

test("the response to the inquiry of a refunded payment states the refund", async () => {
  const document = await render({ kind: "refunded" });
  assert(document.kind === "document");
  assert.match(textIn(document.pdf), /^The merchant has refunded the payment in full\.$/m);
});

/** A PNG of one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function pdfWithPages(count: number): Promise<Buffer> {
  const document = await PDFDocument.create();
  for (let page = 0; page < count; page++) document.addPage([200, 300]);
  return Buffer.from(await document.save());
}

test("the files follow the texts, which list them in the same order", async () => {
  const content = await pdfWithPages(2);
  const files: EvidenceFile[] = [
    { name: "delivery.pdf", mediaType: "application/pdf", pages: 2, content },
    { name: "photo.png", mediaType: "image/png", pages: 1, content: png },
  ];
  const { pdf, pages } = await rendered({ customer_name: "Ada" }, files);
  assert.equal(pages, 4);
  const merged = await PDFDocument.load(pdf);
  assert.deepEqual(
    merged.getPages().map((page) => page.getSize()),
    [
      { width: 595, height: 842 },
      { width: 200, height: 300 },
      { width: 200, height: 300 },
      { width: 595, height: 842 },
    ],
  );
  assert.deepEqual(
    await rendered({ customer_name: "Ada" }, files),
    { pdf, pages, kind: "document" },
    "a repeated response has other bytes",
  );
});

test("files that leave no page for the texts are reported", async () => {
  const content = await pdfWithPages(4);
  const files = [{ name: "a.pdf", mediaType: "application/pdf", pages: 4, content }] as const;
  const document = await render({ kind: "evidence", evidence: {}, files }, { maxPages: 4 });
  assert(document.kind === "too_long");
  assert.match(document.problem, /The files have 4 pages, .* at most 4 pages/);
});
