import type { FastifyInstance } from "fastify";
import type { Clock } from "../../core/clock.ts";
import { acceptAsBytes } from "./server.ts";

/** The URL that receives browsers' reports of CSP violations. */
export const cspReportPath = "/embed/csp-reports";

/** Counts violations per directive and blocked origin. Stores nothing else of a report. */
export type CspReports = {
  take(body: unknown): void;
};

/**
 * The maximum number of distinct kinds in a period. Without a limit, anyone could fill the memory and the log with
 * invented reports.
 */
const maxKinds = 50;

/**
 * The time after which the counts start again. Otherwise, invented reports of fifty kinds would suppress every real one
 * until the process restarts.
 */
const periodMs = 60 * 60_000;

export type ReportLog = (violation: { directive: string; blocked: string; times: number }) => void;

export function createCspReports(log: ReportLog, clock: Clock): CspReports {
  const counted = new Map<string, number>();
  let startedAt = Number.NEGATIVE_INFINITY;

  function count({ directive, blocked }: Violation): void {
    const now = clock.now().getTime();
    if (now - startedAt >= periodMs) {
      counted.clear();
      startedAt = now;
    }
    const kind = `${directive} ${blocked}`;
    if (!counted.has(kind) && counted.size >= maxKinds) return;
    const times = (counted.get(kind) ?? 0) + 1;
    counted.set(kind, times);
    // Logs the first violation of a kind, the 10th, the 100th, and so on.
    if (Number.isInteger(Math.log10(times))) log({ directive, blocked, times });
  }

  return { take: (body) => violationsIn(body).forEach(count) };
}

type Violation = { readonly directive: string; readonly blocked: string };

/** Reads both formats: the Reporting API's list and the older single `csp-report` (CSP level 3, §5.3 and §5.5). */
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

/** Returns a string, or "" for any other value. `String(value)` could throw or overflow the stack on untrusted JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the origin of a URL, or a keyword such as `inline`. The rest of the URL may contain a secret. */
function originOnly(url: unknown): string {
  if (typeof url !== "string") return "unknown";
  if (/^[a-z-]{1,20}$/.test(url)) return url;
  const origin = URL.canParse(url) ? new URL(url).origin : "unknown";
  return origin === "null" ? "unknown" : origin;
}

/** Serves the reports' URL. Every body gets the same response, and an invalid report is not counted. */
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
