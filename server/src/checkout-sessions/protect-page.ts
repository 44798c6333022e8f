import type { FastifyReply } from "fastify";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/**
 * The headers of a page that handles a payment: nothing of a third party, framed only by those who may, and no
 * copy kept. A page that may not be framed is refused by the browser, never shown unprotected (contract §5).
 */
export function protectPage(
  reply: FastifyReply,
  { origins, formAction }: { origins: readonly string[]; formAction: "'none'" | "'self'" },
): void {
  const ancestors = origins.length > 0 ? `'self' ${origins.join(" ")}` : "'none'";
  reply.headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `${policy}; form-action ${formAction}; frame-ancestors ${ancestors}`,
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(self)",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
}
