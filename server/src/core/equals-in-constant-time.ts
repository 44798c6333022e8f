import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Compares two strings in a time that does not depend on where they differ. Hashes both first, because
 * `timingSafeEqual` requires the same length.
 */
export function equalsInConstantTime(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
