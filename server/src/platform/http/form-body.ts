import type { FastifyInstance, FastifyRequest } from "fastify";

/** Makes these routes accept HTML form posts, which the API's routes reject. */
export function acceptForms(routes: FastifyInstance): void {
  const { collectBody } = routes;
  routes.addContentTypeParser(
    "application/x-www-form-urlencoded",
    (request: FastifyRequest, payload, done) =>
      collectBody(request, payload, (error, body) =>
        done(error, body && new URLSearchParams(body.toString("utf8"))),
      ),
  );
}

/** Returns the posted form, or an empty one for a body of another type. */
export function formOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}
