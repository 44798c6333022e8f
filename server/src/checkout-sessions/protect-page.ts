import type { FastifyReply } from "fastify";
import { cspReportPath } from "./csp-reports.ts";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  // Both ways: `report-to` is the standard's, `report-uri` the one that every browser knows.
  "report-to csp",
  `report-uri ${cspReportPath}`,
].join("; ");

export type Protection = {
  /** Whose pages may frame it. */
  readonly origins: readonly string[];
  /** What it may frame beside our own, and where its forms may go: the banks, for the challenge document. */
  readonly frames?: readonly string[];
  readonly formAction?: readonly string[];
};

/** Ourselves and those named, each once. */
function sources(named: readonly string[]): string {
  return [...new Set(["'self'", ...named])].join(" ");
}

/** A payment needs none of what a browser can do. */
const permissions = [
  "accelerometer",
  "autoplay",
  "browsing-topics",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "serial",
  "usb",
  "xr-spatial-tracking",
]
  .map((feature) => `${feature}=()`)
  .join(", ");

/**
 * The headers of a page that handles a payment: nothing of a third party, framed only by those who may, and no
 * copy kept. A page that may not be framed is refused by the browser, never shown unprotected (contract §5).
 */
export function protectPage(
  reply: FastifyReply,
  { origins, frames = [], formAction = [] }: Protection,
): void {
  const ancestors = origins.length > 0 ? sources(origins) : "'none'";
  const framed = sources(frames);
  const forms = formAction.join(" ") || "'none'";
  reply.headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `${policy}; frame-src ${framed}; form-action ${forms}; frame-ancestors ${ancestors}`,
    "reporting-endpoints": `csp="${cspReportPath}"`,
    "permissions-policy": permissions,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
  });
}
