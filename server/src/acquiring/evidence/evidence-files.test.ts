import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { PDFDocument } from "@cantoo/pdf-lib";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import { inspectFile } from "./evidence-files.ts";

const inspect = (content: Buffer, mediaType: DocumentMediaType = "application/pdf") =>
  inspectFile({ mediaType, content });

const damaged = {
  kind: "unreadable",
  problem: "The file is damaged. Send a file that other programs can open.",
};

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Returns a chunk of a PNG. The decoder does not check its checksum. */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

function header(width: number, height: number, depth = 8, interlace = 0): Buffer {
  const truecolorWithAlpha = 6;
  const data = Buffer.from([...Array(8).fill(0), depth, truecolorWithAlpha, 0, 0, interlace]);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return chunk("IHDR", data);
}

/** The compressed data of an image of one pixel: the byte of the line's filter, and the four channels of the pixel. */
const pixel = deflateSync(Buffer.from([0, 1, 2, 3, 255]));

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
  assert.deepEqual(await inspect(Buffer.from("%PDF-1.7 not a document")), damaged);
  assert.deepEqual(await inspect(Buffer.from([0xff, 0xd8, 0xff, 1, 2]), "image/jpeg"), damaged);
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  assert.deepEqual(await inspect(png, "image/png"), damaged);
});

test("a PNG with too many pixels is rejected before it is decoded", async () => {
  const tooLarge = {
    kind: "unreadable",
    problem:
      "The image has more than 20 megapixels, or more than 10 with 16 bits per channel. Send a smaller image.",
  };
  const large = Buffer.concat([signature, header(100_000, 100_000), chunk("IDAT", pixel)]);
  assert.deepEqual(await inspect(large, "image/png"), tooLarge);
  const deep = Buffer.concat([signature, header(4_000, 4_000, 16), chunk("IDAT", pixel)]);
  assert.deepEqual(await inspect(deep, "image/png"), tooLarge);
});

test("a PNG whose chunks claim more than the file or its header contains is rejected", async () => {
  const begin = Buffer.concat([signature, header(1, 1)]);
  const palette = chunk("PLTE", Buffer.alloc(3));
  palette.writeUInt32BE(0x20000000, 0);
  const faulty = [
    [begin, palette, chunk("IDAT", pixel)],
    [begin, chunk("PLTE", Buffer.alloc(3_000)), chunk("IDAT", pixel)],
    [begin, header(5_000, 5_000), chunk("IDAT", pixel)],
    [begin, chunk("IDAT", deflateSync(Buffer.alloc(10_000_000)))],
    [begin, chunk("IDAT", pixel.subarray(0, 5))],
    [signature, chunk("IDAT", pixel)],
    [signature],
  ];
  for (const parts of faulty) {
    assert.deepEqual(await inspect(Buffer.concat(parts), "image/png"), damaged);
  }
});

test("the first image of an animated PNG is used, and its texts are not decompressed", async () => {
  const frame = Buffer.alloc(26);
  frame.writeUInt32BE(1, 4);
  frame.writeUInt32BE(1, 8);
  const frames = Array.from({ length: 20 }, () => [
    chunk("fcTL", frame),
    chunk("fdAT", Buffer.concat([Buffer.alloc(4), pixel])),
  ]).flat();
  const text = chunk("zTXt", Buffer.from("Comment\0\0not compressed"));
  const image = [signature, header(1, 1), chunk("acTL", Buffer.alloc(8)), text];
  const file = Buffer.concat([...image, chunk("IDAT", pixel), ...frames]);
  assert.deepEqual(await inspect(file, "image/png"), { kind: "readable", pages: 1 });
});

test("an interlaced PNG is read", async () => {
  // The three passes of an image of two by two pixels have one line each.
  const lines = deflateSync(Buffer.concat([Buffer.alloc(5), Buffer.alloc(5), Buffer.alloc(9)]));
  const file = Buffer.concat([signature, header(2, 2, 8, 1), chunk("IDAT", lines)]);
  assert.deepEqual(await inspect(file, "image/png"), { kind: "readable", pages: 1 });
});

test("a PDF whose objects are too large after decompression is rejected", async () => {
  const objects = deflateSync(
    Buffer.concat([Buffer.from("9 0 ["), Buffer.alloc(64 * 1024 * 1024, "true"), Buffer.from("]")]),
  );
  const file = Buffer.concat([
    Buffer.from(`%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Count 1 /Kids [3 0 R] >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >> endobj
4 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${objects.length} >> stream
`),
    objects,
    Buffer.from("\nendstream endobj\ntrailer << /Size 5 /Root 1 0 R >>\n%%EOF\n"),
  ]);
  assert.deepEqual(await inspect(file), {
    kind: "unreadable",
    problem: "The PDF is too complex. Send a simpler file, such as a scan.",
  });
  assert.deepEqual(await inspect(await pdf(1)), { kind: "readable", pages: 1 });
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
