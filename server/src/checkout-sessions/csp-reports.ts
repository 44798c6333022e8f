import type { FastifyInstance } from "fastify";
import { acceptAsBytes } from "../http/server.ts";

/** Where browsers tell that a page of ours tried something its policy forbids. */
export const cspReportPath = "/embed/csp-reports";

/** How often each directive was violated since the start, and by what kind of address. Nothing else of a report is kept. */
export type CspReports = {
  take(body: unknown): void;
  counts(): Readonly<Record<string, number>>;
};

/** Strangers can send reports, too; no more kinds than this are told apart. */
const mostKinds = 50;

export type ReportLog = (violation: { directive: string; blocked: string; times: number }) => void;

export function openCspReports(log: ReportLog): CspReports {
  const counted = new Map<string, number>();

  function count({ directive, blocked }: Violation): void {
    const kind = `${directive} ${blocked}`;
    if (!counted.has(kind) && counted.size >= mostKinds) return;
    const times = (counted.get(kind) ?? 0) + 1;
    counted.set(kind, times);
    // The first of a kind is news, and then every time that there are ten times as many.
    if (Number.isInteger(Math.log10(times))) log({ directive, blocked, times });
  }

  return {
    take: (body) => violationsIn(body).forEach(count),
    counts: () => Object.fromEntries(counted),
  };
}

type Violation = { readonly directive: string; readonly blocked: string };

/** Both forms: the Reporting API's list, and the older single `csp-report` (CSP level 3, §5.3 and §5.5). */
function violationsIn(body: unknown): Violation[] {
  const entries = Array.isArray(body) ? body.slice(0, 20) : [body];
  return entries.flatMap((entry) => {
    const fields = objectOf(entry);
    const report = objectOf(fields["csp-report"] ?? fields.body);
    const directive = report.effectiveDirective ?? report["effective-directive"];
    const older = report["violated-directive"];
    const name = /^[a-z-]{1,40}/.exec(textOf(directive ?? older))?.[0];
    const blocked = originOnly(report.blockedURL ?? report["blocked-uri"]);
    return name ? [{ directive: name, blocked }] : [];
  });
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Not `String(value)`: a stranger's object may refuse to become text, and a deep list overflows the stack. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An address may carry a secret; its origin, or a word such as `inline`, is enough to find the cause. */
function originOnly(address: unknown): string {
  if (typeof address !== "string") return "unknown";
  if (/^[a-z-]{1,20}$/.test(address)) return address;
  const origin = URL.canParse(address) ? new URL(address).origin : "unknown";
  return origin === "null" ? "unknown" : origin;
}

/** The door for reports: any text is answered alike, and one that is no report counts nothing. */
export function serveCspReports(app: FastifyInstance, reports: CspReports): void {
  app.register((routes, _options, done) => {
    acceptAsBytes(routes, ["application/reports+json", "application/csp-report"]);
    routes.post(cspReportPath, (request, reply) => {
      reports.take(parsed(String(request.body ?? "")));
      return reply.status(204).send();
    });
    done();
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
