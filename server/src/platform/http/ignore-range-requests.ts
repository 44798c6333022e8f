import type { FastifyInstance } from "fastify";

const ignored = ["range", "if-range", "if-match", "if-unmodified-since"] as const;

/**
 * Makes the file routes that are registered afterwards ignore ranges and the preconditions of RFC 9110 §13.1.1 and
 * §13.1.4. If the file library cannot satisfy a range or precondition, it fails with an error that the service would
 * return as a 500. No browser sends these headers for scripts and styles. `If-None-Match` and `If-Modified-Since` still
 * work.
 */
export function ignoreRangeRequests(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => {
    for (const name of ignored) delete request.raw.headers[name];
    done();
  });
}
