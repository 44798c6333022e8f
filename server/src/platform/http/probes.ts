import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply } from "fastify";
import { ApiError, renderError } from "../../core/api-error.ts";
import { singleFlight } from "../../core/single-flight.ts";
import type { Access } from "./access.ts";
import { sendResponse } from "./send-response.ts";

/** The time limit of a readiness check. Few load balancers wait longer. */
const timeoutMs = 1_000;

export type ProbesDeps = {
  readonly reachesDatabase: () => Promise<void>;
  readonly baseUrl: () => string;
};

/**
 * Serves health checks for process supervisors and load balancers. `/livez` succeeds if the process responds. `/readyz`
 * succeeds if the process also reaches its database and is not shutting down. Both need no authentication.
 */
export function serveProbes(app: FastifyInstance, { reachesDatabase, baseUrl }: ProbesDeps): void {
  let closing = false;
  app.addHook("preClose", (done) => {
    closing = true;
    done();
  });

  const reach = singleFlight(() =>
    reachesDatabase().then(
      () => true,
      () => false,
    ),
  );
  const isReached = (): Promise<boolean> => Promise.race([reach(), sleep(timeoutMs, false)]);

  app.get("/livez", { config: { access } }, (_request, reply) => sendStatus(reply, "live"));
  app.get("/readyz", { config: { access } }, async (request, reply) => {
    if (!closing && (await isReached())) return sendStatus(reply, "ready");
    const error = closing
      ? new ApiError("service_unavailable", "The process is shutting down.")
      : new ApiError("service_unavailable", "The process cannot reach its database.");
    return sendResponse(reply, { status: 503, body: renderError(error, request.id, baseUrl()) });
  });
}

const access: Access = {
  authentication: "public",
  limit: {
    unlimited:
      "A load balancer must get a response while its network is limited. The response is constant, and requests share one check of the database.",
  },
};

function sendStatus(reply: FastifyReply, status: string): FastifyReply {
  return sendResponse(reply, { status: 200, body: JSON.stringify({ status }) });
}
