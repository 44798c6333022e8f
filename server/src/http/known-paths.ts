import type { FastifyInstance } from "fastify";

/** The methods of a path, as `Allow` says them; none for a path that nobody has. */
export type KnownPaths = (path: string) => readonly string[];

/** Remembers every route that is added from now on, for the 405 that says what would do (RFC 9110 §15.5.6). */
export function noteKnownPaths(app: FastifyInstance): KnownPaths {
  const known = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  app.addHook("onRoute", ({ method, url }) => {
    const path = known.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    for (const one of [method].flat()) path.methods.add(one);
    known.set(url, path);
  });

  return (path) => {
    const asked = decoded(path);
    const methods = known
      .values()
      .filter(({ pattern }) => pattern.test(asked))
      .flatMap((found) => found.methods);
    return [...new Set(methods)];
  };
}

/** As the router reads it, for which `/%63harges` is `/charges`. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** `/charges/:id` takes one segment for the id, `/dashboard/*` everything. */
function patternOf(url: string): RegExp {
  const parts = url.split(/(:[a-z_]+|\*)/i);
  const source = parts.map((part) => {
    if (part === "*") return ".*";
    return part.startsWith(":") ? "[^/]+" : RegExp.escape(part);
  });
  return new RegExp(`^${source.join("")}$`);
}
