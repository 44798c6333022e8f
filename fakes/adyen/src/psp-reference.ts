import { randomBytes } from "node:crypto";

/** Letters and digits that are not mistaken for each other and do not form words. */
const alphabet = "BCDFGHJKLMNPQRSTVWXZ23456789";

const length = 16;

/** Random bytes are drawn for many references at a time. */
let pool = Buffer.alloc(0);
let used = 0;

/** Returns a new `pspReference`, which has 16 characters and is globally unique. */
export function newPspReference(): string {
  if (used + length > pool.length) {
    pool = randomBytes(256 * length);
    used = 0;
  }
  let reference = "";
  for (let index = 0; index < length; index += 1) {
    reference += alphabet[(pool[used + index] as number) % alphabet.length];
  }
  used += length;
  return reference;
}
