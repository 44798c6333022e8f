import type { FastifyInstance, FastifyRequest } from "fastify";

/** Lets these routes take what a browser posts as a form, and not the API's. */
export function acceptForms(routes: FastifyInstance): void {
  routes.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, new URLSearchParams(body as string)),
  );
}

/** The form that was posted; an empty one for a body of another kind. */
export function formOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}
