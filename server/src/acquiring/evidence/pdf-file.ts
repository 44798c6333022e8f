import { deflateSync } from "node:zlib";
import type { TrueTypeFont } from "./true-type-font.ts";

/** A line of text on a page. The position is that of its first glyph on the baseline, in points from the lower left. */
export type PlacedLine = {
  readonly glyphs: readonly number[];
  readonly size: number;
  readonly x: number;
  readonly y: number;
};

export type PdfFile = {
  readonly title: string;
  readonly pageSize: { readonly width: number; readonly height: number };
  readonly pages: readonly (readonly PlacedLine[])[];
  readonly font: TrueTypeFont;
  /** The character of each glyph. PDF viewers need it to search and copy the text. */
  readonly textOf: ReadonlyMap<number, string>;
};

/**
 * Writes a PDF of text in one embedded font (ISO 32000-1). The same text results in the same bytes, because the file
 * contains no time.
 */
export function writePdf({ title, pageSize, pages, font, textOf }: PdfFile): Buffer {
  const used = new Set(textOf.keys());
  const scale = 1000 / font.unitsPerEm;
  const scaled = (value: number) => Math.round(value * scale);
  const name = "AAAAAA+Evidence";
  const pageNumber = (index: number) => 9 + 2 * index;
  const { width, height } = pageSize;
  const widths = [...used].map((glyph) => `${glyph} [${scaled(font.widthOf(glyph))}]`).join(" ");
  const objects: Buffer[] = [
    dictionary("/Type /Catalog /Pages 2 0 R"),
    dictionary(
      `/Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${pageNumber(index)} 0 R`).join(" ")}]`,
    ),
    dictionary(
      `/Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 7 0 R`,
    ),
    dictionary(
      `/Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDToGIDMap /Identity /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 5 0 R /DW 600 /W [${widths}]`,
    ),
    dictionary(
      `/Type /FontDescriptor /FontName /${name} /Flags 4 /FontBBox [${font.boundingBox.map(scaled).join(" ")}] /ItalicAngle 0 /Ascent ${scaled(font.ascent)} /Descent ${scaled(font.descent)} /CapHeight ${scaled(font.ascent)} /StemV 80 /FontFile2 6 0 R`,
    ),
    stream(font.subset(used), true),
    stream(Buffer.from(toUnicode(textOf))),
    dictionary(`/Title <${hexOf(`\uFEFF${title}`)}>`),
    ...pages.flatMap((lines, index) => [
      dictionary(
        `/Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /Font << /F 3 0 R >> >> /Contents ${pageNumber(index) + 1} 0 R`,
      ),
      stream(Buffer.from(lines.map(drawLine).join("\n"))),
    ]),
  ];
  return assemble(objects);
}

function drawLine({ glyphs, size, x, y }: PlacedLine): string {
  const codes = glyphs.map((glyph) => glyph.toString(16).padStart(4, "0")).join("");
  return `BT /F ${size} Tf ${x.toFixed(2)} ${y.toFixed(2)} Td <${codes}> Tj ET`;
}

function dictionary(entries: string): Buffer {
  return Buffer.from(`<< ${entries} >>`);
}

function stream(bytes: Buffer, isFontFile = false): Buffer {
  const compressed = deflateSync(bytes);
  const length = `/Length ${compressed.length}${isFontFile ? ` /Length1 ${bytes.length}` : ""}`;
  return Buffer.concat([
    Buffer.from(`<< ${length} /Filter /FlateDecode >>\nstream\n`),
    compressed,
    Buffer.from("\nendstream"),
  ]);
}

/**
 * Returns the map from glyphs to characters. Each block of a map may have at most 100 entries (Adobe Technical Note
 * 5411).
 */
function toUnicode(textOf: ReadonlyMap<number, string>): string {
  const entries = [...textOf].map(
    ([glyph, text]) => `<${glyph.toString(16).padStart(4, "0")}> <${hexOf(text)}>`,
  );
  const blocks: string[] = [];
  for (let at = 0; at < entries.length; at += 100) {
    const block = entries.slice(at, at + 100);
    blocks.push(`${block.length} beginbfchar\n${block.join("\n")}\nendbfchar`);
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${blocks.join("\n")}
endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}

/** Returns the text as UTF-16BE in hexadecimal digits. */
function hexOf(text: string): string {
  return Buffer.from(text, "utf16le").swap16().toString("hex");
}

/**
 * Returns the file: the objects, numbered from 1, and the table of their offsets. Object 8 is the document information.
 */
function assemble(objects: readonly Buffer[]): Buffer {
  // The comment with bytes above 127 marks the file as binary (ISO 32000-1, 7.5.2).
  const parts = [Buffer.from("%PDF-1.7\n%âãÏÓ\n", "latin1")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      object,
      Buffer.from("\nendobj\n"),
    ]);
    parts.push(part);
    length += part.length;
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${entries.join("")}trailer\n<< /Size ${size} /Root 1 0 R /Info 8 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
