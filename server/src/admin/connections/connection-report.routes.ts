import {
  ConnectionReports,
  UploadedReport,
  UploadReport,
} from "@florin/contract/operator-connections.ts";
import { readConnection } from "../../acquiring/connections/connection.sql.ts";
import type { Connection } from "../../acquiring/connections/connection.ts";
import {
  listSettlementReports,
  readSettlementReport,
} from "../../acquiring/connections/received-report.sql.ts";
import { storeSettlementReport } from "../../acquiring/connections/settlement-report.sql.ts";
import { connectors } from "../../acquiring/connectors.ts";
import { maxReportBytes } from "../../acquiring/settlement-report.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import {
  type BrowserRoute,
  browserRoute,
  browserUploadRoute,
} from "../../platform/http/browser-routes.ts";
import type { Upload } from "../../platform/http/read-upload.ts";
import { created, ok } from "../../platform/http/route.ts";
import {
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "../operator/operator-request.ts";
import { connectionIn } from "./connection.routes.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import { reportObject } from "./connection-object.ts";

/** Serves the settlement reports of a connection, and accepts uploads of reports that could not be downloaded. */
export function connectionReportRoutes(deps: ConnectionDeps): BrowserRoute<SignedIn>[] {
  const { database, clock, directory } = deps;

  return [
    browserRoute<SignedIn>()({
      method: "GET",
      path: "/connections/:connection/reports",
      response: ConnectionReports,
      async handle(request) {
        const { id } = await readIn(request);
        const reports = await listSettlementReports(database.read, id);
        return ok({ data: reports.map(reportObject) });
      },
    }),
    browserUploadRoute<SignedIn>()({
      method: "POST",
      path: "/connections/:connection/reports",
      upload: { mediaTypes: ["text/csv"], maxBytes: maxReportBytes },
      query: UploadReport,
      response: UploadedReport,
      handle: (request) => upload(request),
    }),
  ];

  async function readIn(request: OperatorRequest): Promise<Connection> {
    const id = connectionIn(request);
    const stored = await readConnection(database.read, id);
    if (!stored) throw noSuch("connection", id);
    return stored.connection;
  }

  async function upload(request: OperatorRequest<Upload, UploadReport>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const { id, processor, settings } = await readIn(request);
    const report = await connectors[processor].readReport(request.body.content);
    if ("unreadable" in report) throw rejected(report.unreadable);
    const { merchantAccount, batch, sha256, problem } = report;
    const isKnown =
      merchantAccount === settings.merchantAccount ||
      directory.assignmentsAt(id, merchantAccount).length > 0;
    if (!isKnown) {
      throw rejected(
        `The report is for the merchant account '${merchantAccount}', which this connection does not use. Upload the report to the connection that uses the merchant account.`,
      );
    }
    const received = { fileName: request.query.file_name, at: now };
    const result = await database.transaction(async (tx) => {
      const stored = await storeSettlementReport(tx, id, report, received);
      // Throws for an upload without effect, so that the transaction is rolled back and the upload is not recorded.
      if (stored === "kept") {
        throw rejected(
          `The report is incomplete: ${problem} Florin keeps the stored report of batch ${batch}, which is complete. Download the report from the acquirer again, and upload it.`,
        );
      }
      if (stored === "archived") {
        throw rejected(
          `The report differs from the stored report of batch ${batch}, which contains archived payments and can no longer be corrected. Compare the reports, and ask the acquirer.`,
        );
      }
      const after = { merchant_account: merchantAccount, batch, sha256, result: stored, problem };
      const done = {
        account: null,
        action: "connection.report_uploaded",
        object: id,
        after,
      } as const;
      await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
      return stored;
    });
    const found = await readSettlementReport(database.read, {
      connection: id,
      merchantAccount,
      batch,
    });
    if (!found) throw noSuch("report", batch);
    return created({ result, ...reportObject(found) });
  }
}

function rejected(problem: string): ApiError {
  return new ApiError("parameter_invalid", problem, { param: "body" });
}
