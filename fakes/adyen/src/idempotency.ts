import { hash } from "node:crypto";
import { invalid } from "./service-error.ts";
import type { State, StoredResponse } from "./state.ts";

const maxKeyLength = 64;

/** Adyen stores keys for at least seven days. The fake deletes a key after exactly seven days. */
const validMs = 7 * 24 * 60 * 60 * 1000;

/**
 * The idempotency keys of one fake (docs.adyen.com/development-resources/api-idempotency). Only responses to processed
 * requests are stored, so a rejected request can be corrected and sent again with its key. All API keys of a company
 * account share its idempotency keys, so a request that is repeated with another API key is executed only once.
 */
export class IdempotencyKeys {
  readonly #state: State;
  readonly #nowMs: () => number;
  readonly #inFlight = new Set<string>();

  constructor(state: State, nowMs: () => number) {
    this.#state = state;
    this.#nowMs = nowMs;
  }

  /**
   * Returns the stored response, or null for a new request. Rejects a key that is in use or belongs to another request.
   * `id` is the result of `idOfKey`.
   */
  find(id: string, digest: string): StoredResponse | null {
    if (this.#inFlight.has(id)) throw invalid("704", "request already processed or in progress");
    const stored = this.#state.responses.get(id);
    if (!stored || stored.storedAt + validMs <= this.#nowMs()) return null;
    if (stored.digest !== digest) {
      throw invalid("702", "The Idempotency-Key was used with a different request.");
    }
    return stored;
  }

  begin(id: string): void {
    this.#inFlight.add(id);
  }

  end(id: string): void {
    this.#inFlight.delete(id);
  }

  store(id: string, response: Omit<StoredResponse, "storedAt">): void {
    this.#state.put("responses", id, { ...response, storedAt: this.#nowMs() });
  }
}

/** Returns the ID of an idempotency key among the keys of all company accounts. Rejects a key that is too long. */
export function idOfKey(companyAccount: string, key: string): string {
  if (key.length > maxKeyLength) {
    throw invalid("702", `The Idempotency-Key header is longer than ${maxKeyLength} characters.`);
  }
  return `${companyAccount} ${key}`;
}

export function digestOf(companyAccount: string, path: string, body: Buffer): string {
  const start = Buffer.from(`${companyAccount}\n${path}\n`);
  return hash("sha256", Buffer.concat([start, body]), "base64url");
}
