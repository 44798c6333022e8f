import type { SignedIn } from "../../identity/people/session.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { BrowserRoute } from "../../platform/http/browser-routes.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { type OperatorRequest, operatorAuditEntry } from "./operator-request.ts";

/**
 * The audit action of each operator route that reads data, by path. The server does not start if such a route is not
 * listed. Null means that the route returns no merchant's data, or that it writes its own entry. For example, the
 * download of a document is recorded in its account's log.
 */
const reads: Readonly<Record<string, "operator.read" | "audit_log.read" | null>> = {
  "/accounts": "operator.read",
  "/accounts/:account": "operator.read",
  "/accounts/:account/application": "operator.read",
  "/accounts/:account/application/documents/:document": null,
  "/accounts/:account/routing_rules": "operator.read",
  "/accounts/:account/wallets": "operator.read",
  "/accounts/:account/wallets/:wallet/keys/:key/certificate_request": "operator.read",
  "/applications": "operator.read",
  "/assignments": "operator.read",
  "/audit": "audit_log.read",
  "/audit.csv": "audit_log.read",
  "/checker_runs": null,
  "/connections": null,
  "/connections/:connection": null,
  "/connections/:connection/health": null,
  "/connections/:connection/notifications": "operator.read",
  "/connections/:connection/reports": null,
  "/connections/:connection/responses": null,
  "/figures": null,
  "/health": null,
  "/operators": null,
  "/processors": null,
  "/proposals": null,
};

/** The time within which repeated reads of a page in one session are recorded only once, because an open page polls. */
const sameReadMs = 10 * 60_000;

const maxRemembered = 10_000;

/**
 * Returns a function that adds an audit entry to a route that reads data. The route writes the entry before it sends
 * its response.
 */
export function createReadRecorder({ database, clock }: OperatorDeps) {
  const recorded = new Map<string, number>();

  return (route: BrowserRoute<SignedIn>): BrowserRoute<SignedIn> => {
    if (route.method !== "GET") return route;
    const action = reads[route.path];
    if (action === undefined)
      throw new Error(
        `${route.path} is missing in recorded-reads.ts. Add it, with the audit action of the read.`,
      );
    if (action === null) return route;
    return {
      ...route,
      async handle(request) {
        const response = await route.handle(request);
        await record(action, route.path, request);
        return response;
      },
    };
  };

  async function record(
    action: "operator.read" | "audit_log.read",
    path: string,
    request: OperatorRequest,
  ): Promise<void> {
    const object = request.params.account ?? null;
    const after: AuditValues = { path, ...(request.query as AuditValues) };
    const read = JSON.stringify([request.caller.session, object, after]);
    const now = clock.now().getTime();
    if ((recorded.get(read) ?? 0) > now - sameReadMs) return;
    if (recorded.size >= maxRemembered) recorded.clear();
    recorded.set(read, now);
    const entry = operatorAuditEntry(request, { account: null, action, object, after });
    try {
      await database.transaction((tx) => recordAuditEntry(tx, entry, clock));
    } catch (error) {
      recorded.delete(read);
      throw error;
    }
  }
}
