import type { IncomingMessage } from "node:http";
import {
  acceptDispute,
  listDisputes,
  provideEvidence,
  retrieveDispute,
  retrieveEvidence,
  submitEvidence,
} from "./disputes.ts";
import type { Endpoint } from "./faults.ts";
import { retrieveFile, uploadFile } from "./files.ts";
import { capturePayment, refundPayment, reversePayment, voidPayment } from "./payment-actions.ts";
import { listActions, listPayments, retrievePayment } from "./payments.ts";
import { listReports, retrieveReport, retrieveReportFile } from "./reports.ts";
import type { Context, Reply } from "./request-context.ts";
import { requestPayment } from "./request-payment.ts";
import { createToken } from "./tokens.ts";

type Received = { readonly request: IncomingMessage; readonly bytes: Buffer };

/** An endpoint, its name in faults, and the ID in its path. */
export type Route = {
  readonly endpoint: Endpoint;
  readonly id: string | null;
  readonly handle: (context: Context, received: Received) => Reply | Promise<Reply>;
};

type Handler = (context: Context, id: string) => Reply;

/** The endpoints with an ID in their path, such as `POST payments captures` for `POST /payments/{id}/captures`. */
const withId: Readonly<Record<string, readonly [Endpoint, Handler]>> = {
  "GET payments": ["retrieve", retrievePayment],
  "GET payments actions": ["actions", listActions],
  "POST payments captures": ["captures", capturePayment],
  "POST payments voids": ["voids", voidPayment],
  "POST payments refunds": ["refunds", refundPayment],
  "POST payments reversals": ["reversals", reversePayment],
  "GET disputes": ["disputes", retrieveDispute],
  "GET disputes evidence": ["evidence", retrieveEvidence],
  "PUT disputes evidence": ["evidence", provideEvidence],
  "POST disputes evidence": ["submit_evidence", submitEvidence],
  "POST disputes accept": ["accept_dispute", acceptDispute],
  "GET files": ["files", retrieveFile],
  "GET reports": ["reports", retrieveReport],
};

const withoutId: Readonly<Record<string, Omit<Route, "id">>> = {
  "POST payments": { endpoint: "payments", handle: requestPayment },
  "POST tokens": { endpoint: "tokens", handle: createToken },
  "GET payments": { endpoint: "list", handle: listPayments },
  "GET disputes": { endpoint: "disputes", handle: listDisputes },
  "GET reports": { endpoint: "reports", handle: listReports },
  "POST files": {
    endpoint: "files",
    handle: (context, { request, bytes }) =>
      uploadFile(context, String(request.headers["content-type"]), bytes),
  },
};

export function routeOf(method: string, path: string): Route | null {
  const [, noun = "", id, verb, file, ...more] = path.split("/");
  if (more.length > 0) return null;
  if (id === undefined) {
    const route = withoutId[`${method} ${noun}`];
    return route ? { ...route, id: null } : null;
  }
  if (file !== undefined) {
    const isReportFile = method === "GET" && noun === "reports" && verb === "files";
    if (!isReportFile) return null;
    return {
      endpoint: "reports",
      id,
      handle: (context) => retrieveReportFile(context, id, file),
    };
  }
  const found = withId[`${method} ${noun}${verb === undefined ? "" : ` ${verb}`}`];
  if (!found) return null;
  const [endpoint, handle] = found;
  return { endpoint, id, handle: (context) => handle(context, id) };
}
