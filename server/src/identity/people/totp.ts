import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";

/**
 * Codes of authenticator apps (RFC 6238), with the parameters that every app supports: SHA-1, six digits, 30 seconds.
 * SHA-1 is safe here, because HMAC does not depend on collision resistance.
 */
const settings = { algorithm: "SHA1", digits: 6, period: 30 };
const issuer = "Florin";

/** Returns a secret as long as the hash, which RFC 4226 §4 recommends. */
export function newTotpSecret(): Buffer {
  return randomBytes(20);
}

/** Returns the secret as text to type, and as the URI in the QR code. */
export function describeTotp(secret: Buffer, email: string): { secret: string; uri: string } {
  const totp = new TOTP({ ...settings, issuer, label: email, secret: secretOf(secret) });
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The number of accepted steps before and after the current one, because phone clocks drift and people type slowly. */
const stepsAside = 1;

/** Returns the time step of the code, or null if the code matches none of the steps near `now`. */
export function stepOf(code: string, secret: Buffer, now: Date): number | null {
  const token = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(token)) return null;
  const totp = new TOTP({ ...settings, secret: secretOf(secret) });
  const timestamp = now.getTime();
  const aside = totp.validate({ token, timestamp, window: stepsAside });
  return aside === null ? null : totp.counter({ timestamp }) + aside;
}

function secretOf(secret: Buffer): Secret {
  return new Secret({ buffer: new Uint8Array(secret).buffer });
}
