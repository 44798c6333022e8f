import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, errorCodes } from "@florin/contract/errors.ts";
import type { Faults, Message } from "@florin/simulator/faults.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { type Client, createClient, type Reply, type Sent } from "../../client.ts";
import { slowed } from "../../slowness.ts";
import { seededRandom } from "../seeded-random.ts";
import { type Trouble, well } from "./acquirer-faults.ts";
import { everything, type Model, type Open } from "./model.ts";

type Body = Reply["body"];

/** The server of a merchant's requests, and the faults that can be injected behind it. */
export type Environment = {
  readonly url: () => string;
  createMerchant(): Promise<{ readonly account: AccountId; readonly key: string }>;
  /** Null if faults cannot be injected into the connection. */
  readonly injectFaults: ((faults: Faults, account: AccountId) => void) | null;
  /** True if anything may be interrupted at any moment. Then an operation may also have no effect. */
  readonly stormy: boolean;
  /** Returns the service's logged errors, for the diagnosis of a failure. */
  faults(): string;
};

/** A merchant's server that retries each request under one key until it has a response. */
export type Merchant = {
  readonly environment: Environment;
  readonly account: AccountId;
  /** Every final response, so that its request can be repeated. */
  readonly answeredRequests: AnsweredRequest[];
  read(path: string): Promise<Body>;
  /**
   * Sometimes sends the same request several times at once and expects equal responses, unless the endpoint stores
   * none.
   */
  post(path: string, body?: object, unstored?: "unkept"): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  /** Sends a request without the merchant's key, as a browser does. */
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  again(request: AnsweredRequest, body?: object): Promise<Reply>;
  /** Manipulates the next such message of this merchant to the acquirer during `work`. Returns the expected results. */
  suffer<Value>(
    trouble: Trouble,
    on: Message,
    work: (trouble: Trouble) => Promise<Value>,
  ): Promise<Value>;
  /** Waits until an object reaches one of its possible outcomes, and applies that outcome to the model. */
  settle(open: Open, model: Model): Promise<void>;
};

export type AnsweredRequest = {
  readonly path: string;
  readonly key: string;
  readonly body: object;
  readonly status: number;
  readonly text: string;
};

/** The maximum waiting time for an outcome. */
const timeoutMs = slowed(45_000);

export async function createMerchant(environment: Environment, seed: number): Promise<Merchant> {
  const { account, key: secret } = await environment.createMerchant();
  const random = seededRandom(seed);
  const answered: AnsweredRequest[] = [];
  let sent = 0;

  const bearing = (key?: string) => ({
    authorization: `Bearer ${secret}`,
    ...(key !== undefined && { "idempotency-key": key }),
  });

  async function post(path: string, body: object = {}, unstored?: "unkept"): Promise<Reply> {
    const key = `request ${sent++}`;
    const once = () =>
      persist(environment, "POST", `/api/v1${path}`, { headers: bearing(key), body });
    const times = !unstored && random.happens(0.1) ? 3 : 1;
    const replies = await Promise.all(Array.from({ length: times }, once));
    const [first] = replies as [Reply];
    const { status, text } = first;
    // A rejected request was not executed and its response is not stored, so repeated requests may differ.
    if (!unstored && (status < 300 || status === 402)) {
      for (const reply of replies) assert.equal(reply.text, text, `${path} had two responses`);
      answered.push({ path, key, body, status, text });
    }
    return first;
  }

  async function read(path: string): Promise<Body> {
    const { status, body, text } = await persist(environment, "GET", `/api/v1${path}`, {
      headers: bearing(),
    });
    assert.equal(status, 200, `${path}: ${text}`);
    return body;
  }

  return {
    environment,
    account,
    answeredRequests: answered,
    read,
    post,
    delete: (path) => persist(environment, "DELETE", `/api/v1${path}`, { headers: bearing() }),
    send: (method, path, request) => persist(environment, method, path, request),
    again: ({ path, key, body }, other) =>
      persist(environment, "POST", `/api/v1${path}`, {
        headers: bearing(key),
        body: other ?? body,
      }),
    async suffer(trouble, on, work) {
      if (!environment.injectFaults || trouble === well) return work(well);
      environment.injectFaults({ ...trouble.faults, on: [on], times: 1 }, account);
      try {
        return await work(trouble);
      } finally {
        environment.injectFaults({}, account);
      }
    },
    async settle(open, model) {
      const deadline = performance.now() + timeoutMs;
      for (let turns = 1; open.open; turns++) {
        const body = await read(pathOf(open.id));
        const end = open.open[endOf(body)];
        if (end) {
          open.open = null;
          end();
          return;
        }
        assert.ok(
          performance.now() < deadline,
          `${open.id} should become ${Object.keys(open.open).join(" or ")}: ${JSON.stringify(body)}`,
        );
        // Later inquiries are made due by moving the test clock.
        if (turns % 4 === 0) await hurry(model, post);
        await sleep(random.between(150, 350));
      }
    },
  };
}

/** Half a minute is longer than the delay of the second inquiry, and far from any deadline that a step tests. */
const hurrySeconds = 30;

async function hurry(model: Model, post: Merchant["post"]): Promise<void> {
  await post("/test_helpers/clock/advance", { seconds: hurrySeconds });
  age(model, hurrySeconds);
}

/** Adds the time to the age of every waiting object. */
export function age(model: Model, seconds: number): void {
  for (const one of everything(model)) if ("age" in one) one.age += seconds;
}

/** Returns the status of an object, and whether an operation is in progress. */
function endOf(body: Body): string {
  if (body.object === "dispute" && !body.is_inquiry && body.status === "needs_response") {
    return "escalated";
  }
  return body.pending_reason ? "on its way" : body.status;
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

/** Retries after a 5xx response, or without a running server. */
async function persist(
  environment: Environment,
  method: string,
  path: string,
  sent: Sent = {},
): Promise<Reply> {
  const deadline = performance.now() + slowed(60_000);
  for (;;) {
    let trouble = "";
    try {
      const reply = await clientOf(environment.url()).send(method, path, sent);
      if (reply.status < 500) return reply;
      trouble = reply.text;
      assert.ok(environment.stormy, `${method} ${path}: ${trouble}\n${environment.faults()}`);
    } catch (error) {
      if (!environment.stormy) throw error;
      trouble = String(error);
    }
    assert.ok(performance.now() < deadline, `${method} ${path} was never answered: ${trouble}`);
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

/** Asserts that the response is this error. */
export function expectRejection(reply: Reply, code: ErrorCode): void {
  assert.deepEqual(
    [reply.status, reply.body?.error?.code],
    [errorCodes[code].status, code],
    reply.text,
  );
}
