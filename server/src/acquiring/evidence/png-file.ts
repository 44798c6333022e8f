import { once } from "node:events";
import { createInflate } from "node:zlib";

/** The values of the header of a PNG that determine the size of its decoded pixels (PNG §11.2.2). */
type Header = {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  readonly isInterlaced: boolean;
};

/** The maximum size of an image. A PNG of a few kilobytes can have gigabytes of pixels. */
const maxPixels = 20_000_000;
/** The size of the largest image with 8 bits for each of four channels. */
const maxPixelBytes = 4 * maxPixels;

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The chunks that determine the pixels of a still image, apart from its header (PNG §11.2 and §11.3.2). */
const pixelChunks = ["PLTE", "tRNS", "IDAT"];
/** The number of channels and the allowed bit depths of each color type (PNG §11.2.2). */
const colorTypes: ReadonlyMap<number, readonly [channels: number, depths: readonly number[]]> =
  new Map([
    [0, [1, [1, 2, 4, 8, 16]]],
    [2, [3, [8, 16]]],
    [3, [1, [1, 2, 4, 8]]],
    [4, [2, [8, 16]]],
    [6, [4, [8, 16]]],
  ]);

export class ImageTooLarge extends Error {}

/**
 * Returns the PNG with only the chunks that its pixels need. The decoder trusts every chunk: it reads beyond the end of
 * the file, keeps each frame of an animation in full size, and decompresses texts and pixels of any length. The heap
 * limit of the thread does not include this memory, so one small file could end the whole process.
 *
 * @throws ImageTooLarge when the image has too many pixels.
 * @throws Error when the file is damaged.
 */
export async function stillImageOf(content: Uint8Array): Promise<Buffer> {
  const file = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (!file.subarray(0, signature.length).equals(signature)) throw damaged("signature");
  let header: Header | null = null;
  const kept: Buffer[] = [signature];
  const pixels: Buffer[] = [];
  // A file without its last chunk is accepted, because other programs show it.
  for (let at = signature.length; at < file.length; ) {
    // A chunk has its length, its type, its data and a checksum (PNG §5.3).
    if (at + 12 > file.length) throw damaged("chunk");
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) throw damaged("length");
    const type = file.toString("latin1", at + 4, at + 8);
    const data = file.subarray(at + 8, end - 4);
    if ((type === "IHDR") !== (header === null)) throw damaged("header");
    header ??= readHeader(data);
    if (type === "IHDR" || type === "IEND" || pixelChunks.includes(type)) {
      kept.push(file.subarray(at, end));
    }
    if (type === "IDAT") pixels.push(data);
    if (type === "PLTE" && data.length > 3 * 256) throw damaged("palette");
    if (type === "IEND") break;
    at = end;
  }
  if (header === null) throw damaged("header");
  // Some programs write more bytes than the image has, so a few more are accepted.
  await assertInflatedSize(pixels, decodedBytesOf(header) + 65_536);
  return Buffer.concat(kept);
}

function damaged(part: string): Error {
  return new Error(`the ${part} of the PNG is invalid`);
}

function readHeader(data: Buffer): Header {
  if (data.length !== 13) throw damaged("header");
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth, colorType, compression, filter, interlace] = data.subarray(8);
  const [channels, depths] = colorTypes.get(colorType as number) ?? [0, []];
  const isValid =
    width > 0 &&
    height > 0 &&
    depths.includes(depth as number) &&
    compression === 0 &&
    filter === 0 &&
    (interlace === 0 || interlace === 1);
  if (!isValid) throw damaged("header");
  const bitsPerPixel = channels * (depth as number);
  const header = { width, height, bitsPerPixel, isInterlaced: interlace === 1 };
  const count = width * height;
  if (count > maxPixels || (count * bitsPerPixel) / 8 > maxPixelBytes) throw new ImageTooLarge();
  return header;
}

/** The offset and the distance of the pixels of each pass of an interlaced image (PNG §8.2). */
const passes = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

/** Returns the number of bytes of the pixels. Each line begins with the byte of its filter (PNG §7.2). */
function decodedBytesOf({ width, height, bitsPerPixel, isInterlaced }: Header): number {
  let bytes = 0;
  for (const [x, columns, y, rows] of isInterlaced ? passes : ([[0, 1, 0, 1]] as const)) {
    const lineWidth = Math.ceil((width - x) / columns);
    const lines = Math.ceil((height - y) / rows);
    if (lineWidth > 0 && lines > 0)
      bytes += lines * (1 + Math.ceil((lineWidth * bitsPerPixel) / 8));
  }
  return bytes;
}

/** Rejects compressed data that is longer than `max` after decompression. Keeps only a part of it in memory. */
async function assertInflatedSize(parts: readonly Buffer[], max: number): Promise<void> {
  const inflate = createInflate({ chunkSize: 1024 * 1024 });
  let length = 0;
  inflate.on("data", (part: Buffer) => {
    length += part.length;
    if (length > max) inflate.destroy(damaged("pixels"));
  });
  inflate.end(Buffer.concat(parts));
  await once(inflate, "end");
}
