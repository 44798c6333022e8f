import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { PaymentMetrics } from "@florin/contract/metrics.ts";
import type { ChargeId } from "../../src/core/ids.ts";
import type { Acknowledged } from "../../src/insights/verify/check.ts";
import { post } from "../simulation/requests.ts";
import type { ServerProcess } from "../simulation/server-process.ts";

/** Merchants that charge, and read their payments, events, figures and balances at the same time. */
export type ReplicaLoad = {
  readonly requests: readonly Request[];
  readonly acknowledged: readonly Acknowledged[];
  stop(): Promise<void>;
};

export type Request = {
  readonly kind: "charge" | ReadKind;
  readonly sentAt: number;
  readonly endedAt: number;
  /** The status and the body of a failed response, or the error of the connection. */
  readonly problem: string | null;
  /** Describes a response that lacks a charge that was acknowledged before the request was sent. */
  readonly stale: string | null;
};

export const readKinds = ["list", "events", "csv", "figures", "balance"] as const;
export type ReadKind = (typeof readKinds)[number];

type Merchant = {
  readonly secretKey: string;
  readonly charges: ChargeId[];
  /** The time at which the last charge in `charges` was sent, in Unix seconds. */
  lastSentAt: number;
  /** The amount that a charge adds to the balance, after fees. */
  readonly net: number;
};

const chargePauseMs = 200;
const readPauseMs = 20;
const readersPerMerchant = 2;
const amount = 1_234;

/** Starts the load. Each merchant has a client that charges and reads in turn, and others that only read. */
export async function startReplicaLoad(
  servers: readonly ServerProcess[],
  secretKeys: readonly string[],
): Promise<ReplicaLoad> {
  const requests: Request[] = [];
  const acknowledged: Acknowledged[] = [];
  let isRunning = true;

  async function timed(
    kind: Request["kind"],
    send: () => Promise<Pick<Request, "problem" | "stale">>,
  ): Promise<void> {
    const sentAt = performance.now();
    const result = await send().catch((error: Error) => ({ problem: error.message, stale: null }));
    requests.push({ kind, sentAt, endedAt: performance.now(), ...result });
  }

  const charge = (server: ServerProcess, merchant: Merchant) =>
    timed("charge", async () => {
      const body = { amount, currency: "usd", payment_method_id: "pm_card_visa" };
      const request = { bearer: merchant.secretKey, key: randomUUID(), body };
      const sentAt = Math.floor(Date.now() / 1000);
      const { status, body: text } = await post(server.http, "/api/v1/charges", request);
      if (status !== 201) return { problem: `${status} ${text}`, stale: null };
      const { id, status: state } = JSON.parse(text) as { id: ChargeId; status: string };
      acknowledged.push({ chargeId: id, status: state });
      merchant.charges.push(id);
      merchant.lastSentAt = sentAt;
      return { problem: null, stale: null };
    });

  const read = (server: ServerProcess, merchant: Merchant, kind: ReadKind) =>
    timed(kind, async () => {
      const expected = { last: merchant.charges.at(-1), count: merchant.charges.length };
      const { path, finds } = readings[kind];
      const { status, text } = await get(server, path(merchant), merchant.secretKey);
      if (status !== 200) return { problem: `${status} ${text}`, stale: null };
      const isCurrent =
        expected.last === undefined || finds(text, expected.last, expected, merchant);
      return {
        problem: null,
        stale: isCurrent ? null : `${expected.last} in ${text.slice(0, 200)}`,
      };
    });

  /** Creates a charge on one server and reads it through the next server, which has not written it. */
  async function chargeAndRead(merchant: Merchant): Promise<void> {
    for (let turn = 0; isRunning; turn++) {
      const [first, second] = [0, 1].map((next) => servers[(turn + next) % servers.length]);
      await charge(first as ServerProcess, merchant);
      await read(second as ServerProcess, merchant, kindOf(turn));
      await sleep(chargePauseMs);
    }
  }

  async function onlyRead(merchant: Merchant, firstTurn: number): Promise<void> {
    for (let turn = firstTurn; isRunning; turn++) {
      await read(servers[turn % servers.length] as ServerProcess, merchant, kindOf(turn));
      await sleep(readPauseMs);
    }
  }

  const merchants = await Promise.all(
    secretKeys.map(async (secretKey): Promise<Merchant> => {
      const merchant: Merchant = { secretKey, charges: [], lastSentAt: 0, net: 0 };
      await charge(servers[0] as ServerProcess, merchant);
      const path = readings.balance.path(merchant);
      const { text } = await get(servers[0] as ServerProcess, path, secretKey);
      return { ...merchant, net: totalOf(text) };
    }),
  );
  const clients = merchants.flatMap((one) => [
    chargeAndRead(one),
    ...Array.from({ length: readersPerMerchant }, (_, index) => onlyRead(one, index)),
  ]);
  return {
    requests,
    acknowledged,
    async stop() {
      isRunning = false;
      await Promise.all(clients);
    },
  };
}

const kindOf = (turn: number) => readKinds[turn % readKinds.length] as ReadKind;

type Reading = {
  readonly path: (merchant: Merchant) => string;
  /** Returns whether the response contains the merchant's last charge, and all charges before it. */
  readonly finds: (
    text: string,
    last: ChargeId,
    expected: { readonly count: number },
    merchant: Merchant,
  ) => boolean;
};

/** The reads that `readRows` sends to the replica, and the read of the balance, which the primary always serves. */
const readings: Readonly<Record<ReadKind, Reading>> = {
  list: {
    path: () => "/api/v1/charges?limit=50",
    finds: (text, last) =>
      (JSON.parse(text) as List<{ id: string; status: string }>).data.some(
        ({ id, status }) => id === last && status === "succeeded",
      ),
  },
  events: {
    path: () => "/api/v1/events?type=payment.succeeded&limit=50",
    finds: (text, last) =>
      (JSON.parse(text) as List<{ data: { object: { id: string } } }>).data.some(
        ({ data }) => data.object.id === last,
      ),
  },
  csv: {
    // Downloads only the newest charges, so that the cost of a download does not grow during the run.
    path: ({ lastSentAt }) => `/api/v1/charges.csv?created[gte]=${lastSentAt}`,
    finds: (text, last) =>
      text.split("\n").some((line) => line.includes(last) && line.includes("succeeded")),
  },
  figures: {
    path: () => "/api/v1/metrics/payments",
    finds: (text, _last, { count }) =>
      (JSON.parse(text) as PaymentMetrics).total.succeeded >= count,
  },
  balance: {
    path: () => "/api/v1/balance",
    finds: (text, _last, { count }, { net }) => totalOf(text) >= count * net,
  },
};

type List<Item> = { readonly data: readonly Item[] };

/** Returns the available and the pending amounts of a balance together. */
function totalOf(text: string): number {
  const { available, pending } = JSON.parse(text) as {
    available: { amount: number }[];
    pending: { amount: number }[];
  };
  return [...available, ...pending].reduce((sum, one) => sum + one.amount, 0);
}

async function get(
  { http }: ServerProcess,
  path: string,
  secretKey: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: `Bearer ${secretKey}` };
  const { statusCode, body } = await http.request({ method: "GET", path, headers });
  return { status: statusCode, text: await body.text() };
}
