import { CaptureCharge, Charge } from "@florin/contract/charge.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { noSuch } from "../../core/api-error.ts";
import { parseId } from "../../core/ids.ts";
import { type ApiRequest, type Route, route } from "../../platform/http/route.ts";
import { cancelAuthentication } from "../three-d-secure/authenticate-charge.ts";
import type { AuthenticationDeps } from "../three-d-secure/three-d-secure-deps.ts";
import { cancelChallenged } from "./cancel-challenged.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { runOperation } from "./run-operation.ts";

/** Serves the capture and cancellation of authorized charges. */
export function holdRoutes(deps: OperationDeps, charges: AuthenticationDeps): Route[] {
  return [
    route({
      method: "POST",
      path: "/charges/:id/capture",
      summary: "Capture an authorized charge",
      callsAcquirer: true,
      permission: "payments:write",
      body: CaptureCharge,
      response: Charge,
      status: 200,
      handle: (request) => run("capture", request, request.body.amount ?? null),
    }),
    route({
      method: "POST",
      path: "/charges/:id/cancel",
      summary: "Cancel a charge that is authorized or requires action",
      callsAcquirer: true,
      permission: "payments:write",
      body: NoParameters,
      response: Charge,
      status: 200,
      async handle(request) {
        const id = parseId("ch", request.params.id as string);
        const canceled = id && (await cancelChallenged(charges, request, id));
        if (!canceled) return run("void", request, null);
        // If the process crashes here, the authentication ends at its deadline and finds the charge canceled.
        await cancelAuthentication(charges, canceled.charge);
        deps.wakeDeliveries();
        return canceled.response;
      },
    }),
  ];

  async function run(kind: "capture" | "void", request: ApiRequest, amountMinor: number | null) {
    const { scope, params } = request;
    const text = params.id as string;
    const chargeId = parseId("ch", text);
    if (!chargeId) throw noSuch("charge", text);
    const words = { reason: null, metadata: {} };
    return runOperation(deps, { scope, kind, chargeId, amountMinor, request, ...words });
  }
}
