import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { ApiError } from "../primitives/api-error.ts";

/** Hashes and compares passwords, a few at a time. */
export type Passwords = {
  hash(password: string): Promise<string>;
  /** `hash` null: there is no such person, and finding that out takes as long. */
  matches(password: string, hash: string | null): Promise<boolean>;
};

/** OWASP's parameters for argon2id: 19 MiB, twice over, in one lane. */
const usual = { memory: 19_456, passes: 2, parallelism: 1 };
const hashBytes = 32;
const saltBytes = 16;

/** Each keeps a core busy for some 30 ms. More at once would be taken from payments; more in line wait too long. */
const atOnce = 2;
const longestLine = 64;

const derive = promisify(argon2);

export function openPasswords(): Passwords {
  const inTurn = openLine();
  const nobody = phc(usual, Buffer.alloc(saltBytes), Buffer.alloc(hashBytes));

  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(saltBytes);
        return phc(usual, salt, await run(password, usual, salt));
      }),
    matches: (password, hash) =>
      inTurn(async () => {
        const { cost, salt, expected } = parsePhc(hash ?? nobody);
        const found = await run(password, cost, salt);
        return timingSafeEqual(found, expected) && hash !== null;
      }),
  };
}

type Cost = typeof usual;

/** The same letters, however the keyboard composed them (RFC 8265). */
function run(password: string, cost: Cost, salt: Buffer): Promise<Buffer> {
  const message = Buffer.from(password.normalize("NFC"));
  return derive("argon2id", { message, nonce: salt, tagLength: hashBytes, ...cost });
}

function phc(cost: Cost, salt: Buffer, hash: Buffer): string {
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parsePhc(text: string): { cost: Cost; salt: Buffer; expected: Buffer } {
  const [, memory, passes, parallelism, salt = "", hash = ""] = form.exec(text) ?? [];
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    expected: Buffer.from(hash, "base64"),
  };
}

/** Lets a few work at a time; who would have to wait too long is told to come again. */
function openLine(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let working = 0;
  const waiting: (() => void)[] = [];

  return async (work) => {
    if (working >= atOnce) {
      if (waiting.length >= longestLine) throw tooMany();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      working += 1;
    }
    try {
      return await work();
    } finally {
      // The place goes to the next in line, and is given up only when there is none.
      const next = waiting.shift();
      if (next) next();
      else working -= 1;
    }
  };
}

function tooMany(): ApiError {
  return new ApiError(
    "service_overloaded",
    "More people are signing in than can be served at once. Try again in a few seconds.",
    { retryAfterSeconds: 3 },
  );
}
