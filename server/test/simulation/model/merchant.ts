import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, errorCodes } from "@florin/contract/errors.ts";
import type { AccountId } from "../../../src/primitives/ids.ts";
import type { Faults, Message } from "../../../src/processors/simulator/faults.ts";
import { type Client, openClient, type Reply, type Sent } from "../../client.ts";
import { seededChance } from "../seeded-chance.ts";
import { type Trouble, well } from "./line.ts";
import { everything, type Model, type Open } from "./model.ts";

type Body = Reply["body"];

/** Where a merchant's requests go, and what can be done to the line behind it. */
export type World = {
  readonly url: () => string;
  openMerchant(): Promise<{ readonly account: AccountId; readonly key: string }>;
  /** Null where there is no reaching the line. */
  readonly misbehave: ((faults: Faults, account: AccountId) => void) | null;
  /** Whether anything may be cut short at any moment: then an outcome may also be that nothing happened. */
  readonly stormy: boolean;
  /** What the service has written down of its own faults, for whoever must find out why there was one. */
  faults(): string;
};

/** A merchant's server that never gives up: it sends each request under one key until it has an answer. */
export type Merchant = {
  readonly world: World;
  readonly account: AccountId;
  /** Everything that was answered for good, to be sent again. */
  readonly answered: Answered[];
  read(path: string): Promise<Body>;
  /** At times it sends the same several times at once, and must be answered the same; but for what keeps no answers. */
  post(path: string, body?: object, unkept?: "unkept"): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  /** As a browser does, without the merchant's key. */
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  again(request: Answered, body?: object): Promise<Reply>;
  /** Spoils the next such message of this merchant to the acquirer, while `work` is done; what then is to be expected. */
  suffer<Value>(
    trouble: Trouble,
    on: Message,
    work: (trouble: Trouble) => Promise<Value>,
  ): Promise<Value>;
  /** Waits until an object has come to one of its ends, which then is what the model says. */
  settle(open: Open, model: Model): Promise<void>;
};

export type Answered = {
  readonly path: string;
  readonly key: string;
  readonly body: object;
  readonly status: number;
  readonly text: string;
};

/** So long may it take until what is on its way has come to its end. */
const patienceMs = 45_000;

export async function openMerchant(world: World, seed: number): Promise<Merchant> {
  const { account, key: secret } = await world.openMerchant();
  const chance = seededChance(seed);
  const answered: Answered[] = [];
  let sent = 0;

  const bearing = (key?: string) => ({
    authorization: `Bearer ${secret}`,
    ...(key !== undefined && { "idempotency-key": key }),
  });

  async function post(path: string, body: object = {}, unkept?: "unkept"): Promise<Reply> {
    const key = `request ${sent++}`;
    const once = () => persist(world, "POST", `/api/v1${path}`, { headers: bearing(key), body });
    const times = !unkept && chance.happens(0.1) ? 3 : 1;
    const replies = await Promise.all(Array.from({ length: times }, once));
    const [first] = replies as [Reply];
    const { status, text } = first;
    // What was refused was not executed, so it is not kept, and of several one may have come after another.
    if (!unkept && (status < 300 || status === 402)) {
      for (const reply of replies) assert.equal(reply.text, text, `${path} had two answers`);
      answered.push({ path, key, body, status, text });
    }
    return first;
  }

  async function read(path: string): Promise<Body> {
    const { status, body, text } = await persist(world, "GET", `/api/v1${path}`, {
      headers: bearing(),
    });
    assert.equal(status, 200, `${path}: ${text}`);
    return body;
  }

  return {
    world,
    account,
    answered,
    read,
    post,
    delete: (path) => persist(world, "DELETE", `/api/v1${path}`, { headers: bearing() }),
    send: (method, path, request) => persist(world, method, path, request),
    again: ({ path, key, body }, other) =>
      persist(world, "POST", `/api/v1${path}`, { headers: bearing(key), body: other ?? body }),
    async suffer(trouble, on, work) {
      if (!world.misbehave || trouble === well) return work(well);
      world.misbehave({ ...trouble.faults, on: [on], times: 1 }, account);
      try {
        return await work(trouble);
      } finally {
        world.misbehave({}, account);
      }
    },
    async settle(open, model) {
      const deadline = performance.now() + patienceMs;
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
        // Whoever is to be asked again later is asked now: the test clock is there for that.
        if (turns % 4 === 0) await hurry(model, post);
        await sleep(chance.between(150, 350));
      }
    },
  };
}

/** Half a minute is longer than the second inquiry waits, and far from any deadline that a step is about. */
const hurrySeconds = 30;

async function hurry(model: Model, post: Merchant["post"]): Promise<void> {
  await post("/test_helpers/clock/advance", { seconds: hurrySeconds });
  age(model, hurrySeconds);
}

/** Time passes for what waits. */
export function age(model: Model, seconds: number): void {
  for (const one of everything(model)) if ("age" in one) one.age += seconds;
}

/** The status, and whether something is still under way. */
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

/** Sends again what met a fault of ours, or no server at all. */
async function persist(
  world: World,
  method: string,
  path: string,
  sent: Sent = {},
): Promise<Reply> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    let trouble = "";
    try {
      const reply = await clientOf(world.url()).send(method, path, sent);
      if (reply.status < 500) return reply;
      trouble = reply.text;
      assert.ok(world.stormy, `${method} ${path}: ${trouble}\n${world.faults()}`);
    } catch (error) {
      if (!world.stormy) throw error;
      trouble = String(error);
    }
    assert.ok(performance.now() < deadline, `${method} ${path} was never answered: ${trouble}`);
    await sleep(100);
  }
}

function clientOf(url: string): Client {
  const known = clients.get(url) ?? openClient(url);
  clients.set(url, known);
  return known;
}

export async function closeClients(): Promise<void> {
  await Promise.all([...clients.values()].map((client) => client.close()));
  clients.clear();
}

/** Fails unless the answer is this error. */
export function expectRefusal(reply: Reply, code: ErrorCode): void {
  assert.deepEqual(
    [reply.status, reply.body?.error?.code],
    [errorCodes[code].status, code],
    reply.text,
  );
}
