import assert from "node:assert/strict";

/** A TrueType font: its metrics, its glyphs and its map from characters to glyphs. */
export type TrueTypeFont = {
  readonly unitsPerEm: number;
  readonly ascent: number;
  readonly descent: number;
  readonly boundingBox: readonly [number, number, number, number];
  /** Returns the glyph of a character, or 0 if the font has none. */
  glyphOf(codePoint: number): number;
  /** Returns the advance width of a glyph, in units of the font. */
  widthOf(glyph: number): number;
  /** Returns the font file with the outlines of these glyphs only. The numbers of the glyphs stay the same. */
  subset(glyphs: ReadonlySet<number>): Buffer;
};

/** The tables that a PDF reader needs to draw glyphs by their numbers (ISO 32000-1, 9.9). */
const drawingTables = ["cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"];

/** The flags of a component of a composite glyph (OpenType specification, `glyf`). */
const argumentsAreWords = 0x0001;
const hasScale = 0x0008;
const hasMoreParts = 0x0020;
const hasTwoScales = 0x0040;
const hasTwoByTwo = 0x0080;

/** Reads a TrueType font file. It must have a character map for all of Unicode (platform 3, encoding 10). */
export function readTrueTypeFont(file: Buffer): TrueTypeFont {
  const tables = new Map<string, Buffer>();
  for (let at = 12; at < 12 + 16 * file.readUInt16BE(4); at += 16) {
    const offset = file.readUInt32BE(at + 8);
    const table = file.subarray(offset, offset + file.readUInt32BE(at + 12));
    tables.set(file.toString("latin1", at, at + 4), table);
  }
  const tableOf = (name: string): Buffer => {
    const table = tables.get(name);
    assert(table, `The font has no table '${name}'.`);
    return table;
  };
  const [head, hhea, hmtx] = [tableOf("head"), tableOf("hhea"), tableOf("hmtx")];
  const [loca, glyf] = [tableOf("loca"), tableOf("glyf")];
  const groups = readCharacterMap(tableOf("cmap"));
  const knownGlyphs = new Map<number, number>();
  const glyphCount = tableOf("maxp").readUInt16BE(4);
  const lastWidth = hhea.readUInt16BE(34) - 1;
  const hasLongOffsets = head.readInt16BE(50) === 1;

  function outlineOf(glyph: number): Buffer {
    const offsetOf = (index: number) =>
      hasLongOffsets ? loca.readUInt32BE(4 * index) : 2 * loca.readUInt16BE(2 * index);
    return glyf.subarray(offsetOf(glyph), offsetOf(glyph + 1));
  }

  return {
    unitsPerEm: head.readUInt16BE(18),
    ascent: hhea.readInt16BE(4),
    descent: hhea.readInt16BE(6),
    boundingBox: [
      head.readInt16BE(36),
      head.readInt16BE(38),
      head.readInt16BE(40),
      head.readInt16BE(42),
    ],
    glyphOf(codePoint) {
      const known = knownGlyphs.get(codePoint);
      if (known !== undefined) return known;
      const group = groups.find(({ last }) => codePoint <= last);
      const glyph = group && codePoint >= group.first ? group.glyph + codePoint - group.first : 0;
      knownGlyphs.set(codePoint, glyph);
      return glyph;
    },
    widthOf: (glyph) => hmtx.readUInt16BE(4 * Math.min(glyph, lastWidth)),
    subset(glyphs) {
      const used = withParts(glyphs, outlineOf);
      const outlines: Buffer[] = [];
      const offsets = Buffer.alloc(4 * (glyphCount + 1));
      let length = 0;
      for (let glyph = 0; glyph < glyphCount; glyph++) {
        const outline = used.has(glyph) ? outlineOf(glyph) : Buffer.alloc(0);
        outlines.push(outline);
        length += outline.length;
        offsets.writeUInt32BE(length, 4 * (glyph + 1));
      }
      const newHead = Buffer.from(head);
      newHead.writeInt16BE(1, 50);
      const changed = { glyf: Buffer.concat(outlines), loca: offsets, head: newHead };
      return writeFont(
        drawingTables
          .filter((name) => tables.has(name))
          .map((name) => [name, (changed as Record<string, Buffer>)[name] ?? tableOf(name)]),
      );
    },
  };
}

type Group = { readonly first: number; readonly last: number; readonly glyph: number };

/** Reads the character map in format 12, which lists ranges of characters in ascending order. */
function readCharacterMap(cmap: Buffer): readonly Group[] {
  for (let at = 4; at < 4 + 8 * cmap.readUInt16BE(2); at += 8) {
    if (cmap.readUInt16BE(at) !== 3 || cmap.readUInt16BE(at + 2) !== 10) continue;
    const map = cmap.subarray(cmap.readUInt32BE(at + 4));
    assert.equal(map.readUInt16BE(0), 12);
    return Array.from({ length: map.readUInt32BE(12) }, (_, index) => ({
      first: map.readUInt32BE(16 + 12 * index),
      last: map.readUInt32BE(20 + 12 * index),
      glyph: map.readUInt32BE(24 + 12 * index),
    }));
  }
  return assert.fail("The font has no character map for all of Unicode.");
}

/** Returns the glyphs and the components of each composite glyph, such as a letter and its accent. */
function withParts(
  glyphs: ReadonlySet<number>,
  outlineOf: (glyph: number) => Buffer,
): ReadonlySet<number> {
  const found = new Set([0, ...glyphs]);
  // A set also iterates over the values that are added during the iteration.
  for (const glyph of found) {
    const outline = outlineOf(glyph);
    // A composite glyph has a negative number of contours.
    if (outline.length === 0 || outline.readInt16BE(0) >= 0) continue;
    for (let at = 10, flags = hasMoreParts; flags & hasMoreParts; ) {
      flags = outline.readUInt16BE(at);
      found.add(outline.readUInt16BE(at + 2));
      at += flags & argumentsAreWords ? 8 : 6;
      at += flags & hasScale ? 2 : flags & hasTwoScales ? 4 : flags & hasTwoByTwo ? 8 : 0;
    }
  }
  return found;
}

function writeFont(tables: readonly (readonly [string, Buffer])[]): Buffer {
  const directory = Buffer.alloc(12 + 16 * tables.length);
  const power = Math.floor(Math.log2(tables.length));
  directory.writeUInt32BE(0x00010000, 0);
  directory.writeUInt16BE(tables.length, 4);
  directory.writeUInt16BE(16 * 2 ** power, 6);
  directory.writeUInt16BE(power, 8);
  directory.writeUInt16BE(16 * (tables.length - 2 ** power), 10);
  const parts: Buffer[] = [directory];
  let offset = directory.length;
  for (const [index, [name, table]] of tables.entries()) {
    const at = 12 + 16 * index;
    directory.write(name, at, "latin1");
    directory.writeUInt32BE(checksumOf(table), at + 4);
    directory.writeUInt32BE(offset, at + 8);
    directory.writeUInt32BE(table.length, at + 12);
    const padding = Buffer.alloc(-table.length & 3);
    parts.push(table, padding);
    offset += table.length + padding.length;
  }
  return Buffer.concat(parts);
}

function checksumOf(table: Buffer): number {
  const padded = Buffer.concat([table, Buffer.alloc(-table.length & 3)]);
  let sum = 0;
  for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
  return sum;
}
