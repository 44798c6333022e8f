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
  // `report-to` is the standard, but only `report-uri` is supported by every browser.
  "report-to csp",
  `report-uri ${cspReportPath}`,
].join("; ");

export type Protection = {
  /** The origins that may frame the page. */
  readonly origins: readonly string[];
  /** Further origins that the page may frame or post forms to: the issuers, for the challenge document. */
  readonly frames?: readonly string[];
  readonly formAction?: readonly string[];
  /**
   * The origins that may open the payment sheet of a wallet, as an allowlist of the Permissions Policy. None by
   * default.
   */
  readonly payment?: readonly PaymentOrigin[];
};

/** An origin that may open a payment sheet: the page's own origin, or the origin of a frame in the page. */
export type PaymentOrigin = "self" | URL;

/** Returns a CSP source list of 'self' and the origins, without duplicates. */
function sources(origins: readonly string[]): string {
  return [...new Set(["'self'", ...origins])].join(" ");
}

/** The browser features that every payment page disables. */
const disabledFeatures = [
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
  "serial",
  "usb",
  "xr-spatial-tracking",
];

/** Returns the header `Permissions-Policy`, in which an origin is a quoted string and `self` is a token. */
export function permissionsPolicy(payment: readonly PaymentOrigin[]): string {
  const allowed = payment.map((origin) => (origin === "self" ? origin : `"${origin.origin}"`));
  return [
    ...disabledFeatures.map((feature) => `${feature}=()`),
    `payment=(${allowed.join(" ")})`,
  ].join(", ");
}

/**
 * Sets the headers of a payment page. They block third-party content, and allow only `origins` and the page's own
 * origin to frame it. If `origins` is empty, no page may frame it.
 */
export function protectPage(
  reply: FastifyReply,
  { origins, frames = [], formAction = [], payment = [] }: Protection,
): void {
  const ancestors = origins.length > 0 ? sources(origins) : "'none'";
  const framed = sources(frames);
  const forms = formAction.join(" ") || "'none'";
  reply.headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `${policy}; frame-src ${framed}; form-action ${forms}; frame-ancestors ${ancestors}`,
    "reporting-endpoints": `csp="${cspReportPath}"`,
    "permissions-policy": permissionsPolicy(payment),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
  });
}
