import type { FastifyInstance, FastifyRequest } from "fastify";

/** Makes these routes accept HTML form posts, which the API's routes reject. */
export function acceptForms(routes: FastifyInstance): void {
  routes.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, new URLSearchParams(body as string)),
  );
}

/** Returns the posted form, or an empty one for a body of another type. */
export function formOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}
