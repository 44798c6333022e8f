import type { FastifyInstance } from "fastify";
import { noSuch } from "../../core/api-error.ts";
import { parseId } from "../../core/ids.ts";
import { readLogo } from "../../identity/accounts/logo.sql.ts";
import type { Database } from "../../platform/database/database.ts";
import { colorStylesheet, colorsIn } from "./color-stylesheet.ts";

/**
 * The headers of a file whose name determines its content. The content security policy blocks scripts in a logo that is
 * opened as a page.
 */
const fileHeaders = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
} as const;

/** Serves the logos of merchants and the stylesheets with their colors, which the card form loads. */
export function serveBranding(app: FastifyInstance, database: Pick<Database, "read">): void {
  const share = createSharedBytes();

  app.get<{ Params: { file: string } }>("/branding/colors/:file", (request, reply) => {
    const { file } = request.params;
    const colors = colorsIn(file);
    if (!colors) throw noSuch("stylesheet", file);
    return reply
      .headers({ ...fileHeaders, "content-type": "text/css; charset=utf-8" })
      .send(colorStylesheet(colors));
  });

  app.get<{ Params: { account: string; file: string } }>(
    "/branding/:account/:file",
    async (request, reply) => {
      const { account, file } = request.params;
      const id = parseId("acct", account);
      const logo = id && (await readLogo(database.read, id, file));
      if (!logo) throw noSuch("logo", file);
      return reply
        .headers({ ...fileHeaders, "content-type": logo.mediaType })
        .send(share(`${id}/${file}`, logo.content));
    },
  );
}

/**
 * Returns a function that takes the name and bytes of a file. If an earlier response with this name still holds equal
 * bytes, the function returns those bytes. Concurrent responses then share the bytes, so that a client that does not
 * read its response does not keep a separate copy in memory.
 */
function createSharedBytes(): (name: string, bytes: Buffer) => Buffer {
  const used = new Map<string, WeakRef<Buffer>>();
  const released = new FinalizationRegistry<string>((name) => {
    if (used.get(name)?.deref() === undefined) used.delete(name);
  });
  return (name, bytes) => {
    const known = used.get(name)?.deref();
    if (known?.equals(bytes)) return known;
    used.set(name, new WeakRef(bytes));
    released.register(bytes, name);
    return bytes;
  };
}
