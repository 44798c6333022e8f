import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, errorCodes } from "@florin/contract/errors.ts";
import type { Faults, Message } from "@florin/simulator/faults.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { type Client, createClient, type Reply, type Sent } from "../../client.ts";
import { slowed } from "../../slowness.ts";
import { seededRandom } from "../seeded-random.ts";
import { noFault, type PlannedFault } from "./acquirer-faults.ts";
import { type InProgress, type Model, objectsInProgress } from "./model.ts";

type Body = Reply["body"];

/** The service under test, and the faults that can be injected into it. */
export type Environment = {
  readonly url: () => string;
  createMerchant(): Promise<{ readonly account: AccountId; readonly key: string }>;
  /** Null if faults cannot be injected into the connection to the acquirer. */
  readonly injectFaults: ((faults: Faults, account: AccountId) => void) | null;
  /** True if connections break or processes crash at any moment. Any operation may then have no effect. */
  readonly hasInterruptions: boolean;
  /** Returns the errors that the service logged, to diagnose a failure. */
  loggedErrors(): string;
};

/** A merchant's server. Retries each request with the same idempotency key until it receives a response. */
export type Merchant = {
  readonly environment: Environment;
  readonly account: AccountId;
  /** The requests whose responses the service has stored. `repeatRequest` sends them again. */
  readonly completedRequests: CompletedRequest[];
  read(path: string): Promise<Body>;
  /**
   * Sends the request with a new idempotency key. If the endpoint stores responses, sometimes sends it three times
   * simultaneously and asserts that the responses are equal.
   */
  post(path: string, body?: object, unstored?: "unstored"): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  /** Sends a request without the merchant's key, as a browser does. */
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  again(request: CompletedRequest, body?: object): Promise<Reply>;
  /**
   * Injects the fault into the merchant's next message of this type to the acquirer, and runs `work` with the fault. If
   * the environment cannot inject faults, runs `work` with `noFault`.
   */
  withFault<Value>(
    fault: PlannedFault,
    on: Message,
    work: (fault: PlannedFault) => Promise<Value>,
  ): Promise<Value>;
  /** Waits until an object reaches one of its possible outcomes, and applies that outcome to the model. */
  awaitOutcome(object: InProgress, model: Model): Promise<void>;
};

export type CompletedRequest = {
  readonly path: string;
  readonly key: string;
  readonly body: object;
  readonly status: number;
  readonly text: string;
};

/** The maximum time that a step waits for an outcome. */
const timeoutMs = slowed(45_000);

export async function createMerchant(environment: Environment, seed: number): Promise<Merchant> {
  const { account, key: secret } = await environment.createMerchant();
  const random = seededRandom(seed);
  const completed: CompletedRequest[] = [];
  let sent = 0;

  const bearing = (key?: string) => ({
    authorization: `Bearer ${secret}`,
    ...(key !== undefined && { "idempotency-key": key }),
  });

  async function post(path: string, body: object = {}, unstored?: "unstored"): Promise<Reply> {
    const key = `request ${sent++}`;
    const once = () =>
      sendWithRetries(environment, "POST", `/api/v1${path}`, { headers: bearing(key), body });
    const times = !unstored && random.happens(0.1) ? 3 : 1;
    const replies = await Promise.all(Array.from({ length: times }, once));
    const [first] = replies as [Reply];
    const { status, text } = first;
    // The response of a rejected request is not stored, so a repeated request may have another response.
    if (!unstored && (status < 300 || status === 402)) {
      for (const reply of replies)
        assert.equal(reply.text, text, `${path} returned different responses`);
      completed.push({ path, key, body, status, text });
    }
    return first;
  }

  async function read(path: string): Promise<Body> {
    const { status, body, text } = await sendWithRetries(environment, "GET", `/api/v1${path}`, {
      headers: bearing(),
    });
    assert.equal(status, 200, `${path}: ${text}`);
    return body;
  }

  return {
    environment,
    account,
    completedRequests: completed,
    read,
    post,
    delete: (path) =>
      sendWithRetries(environment, "DELETE", `/api/v1${path}`, { headers: bearing() }),
    send: (method, path, request) => sendWithRetries(environment, method, path, request),
    again: ({ path, key, body }, other) =>
      sendWithRetries(environment, "POST", `/api/v1${path}`, {
        headers: bearing(key),
        body: other ?? body,
      }),
    async withFault(fault, on, work) {
      if (!environment.injectFaults || fault === noFault) return work(noFault);
      environment.injectFaults({ ...fault.faults, on: [on], times: 1 }, account);
      try {
        return await work(fault);
      } finally {
        environment.injectFaults({}, account);
      }
    },
    async awaitOutcome(object, model) {
      const deadline = performance.now() + timeoutMs;
      for (let reads = 1; object.outcomes; reads++) {
        const body = await read(pathOf(object.id));
        const apply = object.outcomes[outcomeOf(body)];
        if (apply) {
          object.outcomes = null;
          apply();
          return;
        }
        assert.ok(
          performance.now() < deadline,
          `${object.id} should become ${Object.keys(object.outcomes).join(" or ")}: ${JSON.stringify(body)}`,
        );
        // Advance the test clock, so that later status inquiries become due.
        if (reads % 4 === 0) await advanceClock(model, post);
        await sleep(random.between(150, 350));
      }
    },
  };
}

/** Longer than the delay of the second status inquiry, and shorter than every deadline that a step tests. */
const advanceSeconds = 30;

async function advanceClock(model: Model, post: Merchant["post"]): Promise<void> {
  await post("/test_helpers/clock/advance", { seconds: advanceSeconds });
  age(model, advanceSeconds);
}

/** Adds the time to the age of every object whose outcome may be unknown. */
export function age(model: Model, seconds: number): void {
  for (const object of objectsInProgress(model)) if ("age" in object) object.age += seconds;
}

/**
 * Returns the name of the object's outcome. It is the status, "in progress" while an operation is pending, or
 * "escalated" for a dispute that needs a response and is not an inquiry.
 */
function outcomeOf(body: Body): string {
  if (body.object === "dispute" && !body.is_inquiry && body.status === "needs_response") {
    return "escalated";
  }
  return body.pending_reason ? "in progress" : body.status;
}

export function pathOf(id: string): string {
  const [prefix = ""] = id.split("_");
  const nouns: Readonly<Record<string, string>> = {
    ch: "charges",
    re: "refunds",
    dp: "disputes",
    cs: "checkout_sessions",
    po: "payouts",
    dec: "decisions",
    pm: "payment_methods",
  };
  return `/${nouns[prefix]}/${id}`;
}

const clients = new Map<string, Client>();

/**
 * Sends a request. If the environment has interruptions, repeats it after a 5xx response or a connection error.
 * Otherwise, throws an error.
 */
async function sendWithRetries(
  environment: Environment,
  method: string,
  path: string,
  sent: Sent = {},
): Promise<Reply> {
  const deadline = performance.now() + slowed(60_000);
  for (;;) {
    let problem = "";
    try {
      const reply = await clientOf(environment.url()).send(method, path, sent);
      if (reply.status < 500) return reply;
      problem = reply.text;
      assert.ok(
        environment.hasInterruptions,
        `${method} ${path}: ${problem}\n${environment.loggedErrors()}`,
      );
    } catch (error) {
      if (!environment.hasInterruptions) throw error;
      problem = String(error);
    }
    assert.ok(
      performance.now() < deadline,
      `${method} ${path} returned no final response: ${problem}`,
    );
    await sleep(100);
  }
}

function clientOf(url: string): Client {
  const known = clients.get(url) ?? createClient(url);
  clients.set(url, known);
  return known;
}

export async function closeClients(): Promise<void> {
  await Promise.all([...clients.values()].map((client) => client.close()));
  clients.clear();
}

/** Asserts that the response is the error with this code. */
export function expectRejection(reply: Reply, code: ErrorCode): void {
  assert.deepEqual(
    [reply.status, reply.body?.error?.code],
    [errorCodes[code].status, code],
    reply.text,
  );
}

/** Waits until no object is in progress. */
export async function awaitAllOutcomes(model: Model, merchant: Merchant): Promise<void> {
  for (const object of objectsInProgress(model)) {
    while (object.outcomes) await merchant.awaitOutcome(object, model);
  }
}
