import type { FastifyInstance } from "fastify";

/** Returns the methods of a path for the `Allow` header, or none for an unknown path. */
export type KnownPaths = (path: string) => readonly string[];

/** Collects every route that is added after this call, for the `Allow` header of a 405 (RFC 9110 §15.5.6). */
export function collectKnownPaths(app: FastifyInstance): KnownPaths {
  const known = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  app.addHook("onRoute", ({ method, url }) => {
    const path = known.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    for (const one of [method].flat()) path.methods.add(one);
    known.set(url, path);
  });

  return (path) => {
    const decodedPath = decoded(path);
    const methods = known
      .values()
      .filter(({ pattern }) => pattern.test(decodedPath))
      .flatMap((found) => found.methods);
    return [...new Set(methods)];
  };
}

/** Decodes a path like the router, which treats `/%63harges` as `/charges`. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/**
 * Returns the pattern of a route. In `/charges/:id` the id is one segment. In `/embed/:id(^cs_.+)/*` the id has a
 * pattern of its own, and the rest is any path.
 */
function patternOf(url: string): RegExp {
  const parts = url.split(/(:[a-z_]+(?:\(\^[^)]+\))?|\*)/i);
  const source = parts.map((part) => {
    if (part === "*") return ".*";
    if (!part.startsWith(":")) return RegExp.escape(part);
    return /\(\^(.+)\)$/.exec(part)?.[1] ?? "[^/]+";
  });
  return new RegExp(`^${source.join("")}$`);
}
