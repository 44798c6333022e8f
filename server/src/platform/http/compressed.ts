import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

type Encoding = "br" | "gzip" | "identity";
type Encoded = { readonly bytes: Buffer; readonly etag: string };

/** Brotli's levels 10 and 11 take ten times as long and reduce the size by only a tenth. */
const brotliQuality = 9;

const encoders = {
  br: (text: Buffer) =>
    promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality },
    }),
  gzip: (text: Buffer) => promisify(gzip)(text),
  identity: async (text: Buffer) => text,
} as const;

/**
 * Returns a function that sends a text that is the same for every caller. The text is rendered at the first request and
 * compressed once for each encoding. All responses share the bytes, so that a client that does not read its response
 * does not keep a separate copy of half a megabyte in memory. The text must contain no secret, because the compressed
 * size reveals whether parts of the text are equal. A failed rendering or compression is repeated by the next request.
 */
export function createCompressed(type: string, render: () => string) {
  const encodings = new Map<Encoding, Promise<Encoded>>();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const encoding = encodingFor(request.headers["accept-encoding"]);
    const { bytes, etag } = await encodedOnce(encoding);
    reply
      // Makes clients revalidate their copy, so that they get the new version after an update of the service.
      .header("cache-control", "no-cache")
      .header("etag", etag)
      .header("vary", "accept-encoding")
      .header("x-content-type-options", "nosniff");
    if (request.headers["if-none-match"]?.split(",").some((one) => one.trim() === etag)) {
      return reply.code(304).send();
    }
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    return reply.type(type).send(bytes);
  };

  function encodedOnce(encoding: Encoding): Promise<Encoded> {
    let encoded = encodings.get(encoding);
    if (!encoded) {
      encoded = encode(encoding);
      encodings.set(encoding, encoded);
      encoded.catch(() => encodings.delete(encoding));
    }
    return encoded;
  }

  async function encode(encoding: Encoding): Promise<Encoded> {
    const bytes = await encoders[encoding](Buffer.from(render()));
    const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
    return { bytes, etag: `"${hash}"` };
  }
}

/** Returns the best encoding that the client accepts (RFC 9110 §12.5.3). */
function encodingFor(acceptEncoding: unknown): Encoding {
  if (typeof acceptEncoding !== "string") return "identity";
  const accepted = acceptEncoding
    .toLowerCase()
    .split(",")
    .filter((one) => !/;\s*q\s*=\s*0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(";")[0]?.trim());
  return (["br", "gzip"] as const).find((one) => accepted.includes(one)) ?? "identity";
}
