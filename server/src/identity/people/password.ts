import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { ApiError } from "../../core/api-error.ts";
import { boundConcurrency, Overloaded } from "../../core/bounded-concurrency.ts";

/** Hashes and compares passwords, with bounded concurrency. */
export type Passwords = {
  hash(password: string, client: Client): Promise<string>;
  /**
   * Compares the password with a hash. If there is no such person (null), compares it with a dummy hash, which takes
   * the same time.
   */
  matches(password: string, hash: string | null, client: Client): Promise<boolean>;
};

/**
 * The sender of a password. A `known` client is signed in, or uses a browser in which the person signed in before.
 * Every other client is `unknown`.
 */
export type Client = "known" | "unknown";

/** OWASP's parameters for argon2id: 19 MiB, two passes, no parallelism. */
const defaultCost = { memory: 19_456, passes: 2, parallelism: 1 };
const hashBytes = 32;
const saltBytes = 16;

/**
 * The maximum number of concurrent hashes in each of two queues: one for known clients and one for unknown clients.
 * Each hash occupies a core for about 30 ms, and more than two concurrent hashes would slow down payments. With a
 * single queue, attackers in many networks could fill the queue, and no signed-in person could reauthenticate. The
 * holder of a sign-up link is an unknown client too, because anyone can request such a link.
 */
const maxConcurrent = 1;
const maxWaitingHashes = 64;

const derive = promisify(argon2);

export function createPasswords(): Passwords {
  const limits = { maxRunning: maxConcurrent, maxWaiting: maxWaitingHashes };
  const queues = { known: boundConcurrency(limits), unknown: boundConcurrency(limits) };
  const inTurn = <Value>(client: Client, work: () => Promise<Value>): Promise<Value> =>
    queues[client](work).catch((error: unknown) => {
      throw error instanceof Overloaded ? tooManyConcurrentHashes() : error;
    });
  const dummyHash = phc(defaultCost, Buffer.alloc(saltBytes), Buffer.alloc(hashBytes));

  return {
    hash: (password, client) =>
      inTurn(client, async () => {
        const salt = randomBytes(saltBytes);
        return phc(defaultCost, salt, await run(password, defaultCost, salt));
      }),
    matches: (password, hash, client) =>
      inTurn(client, async () => {
        const { cost, salt, expected } = parsePhc(hash ?? dummyHash);
        const found = await run(password, cost, salt);
        return timingSafeEqual(found, expected) && hash !== null;
      }),
  };
}

type Cost = typeof defaultCost;

/** Normalizes to NFC, so that the password is the same however the keyboard composed its letters (RFC 8265). */
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

/** Returns the error for a request that arrives while the queue of password checks is full. */
export function tooManyConcurrentHashes(): ApiError {
  return new ApiError(
    "service_overloaded",
    "Too many people are signing in. Try again in a few seconds.",
    { retryAfterSeconds: 3 },
  );
}
