import type { FastifyRequest } from "fastify";

/** Returns the bearer token of a request (RFC 6750 §2.1), or an empty string. */
export function bearerOf({ headers }: Pick<FastifyRequest, "headers">): string {
  return /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
}
