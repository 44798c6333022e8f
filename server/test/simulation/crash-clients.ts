import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChargeId } from "../../src/core/ids.ts";
import type { Acknowledged } from "../../src/insights/verify/check.ts";
import { slowed } from "../slowness.ts";
import { type HttpResponse, post, type Target } from "./requests.ts";
import type { Random } from "./seeded-random.ts";

/** The charge requests with their weights: approvals, declines, and every kind of unknown outcome. */
const amounts: readonly (readonly [weight: number, amount: number | null, method: string])[] = [
  [60, null, "pm_card_visa"],
  [12, null, "pm_card_visa_chargeDeclined"],
  // The acquirer times out after an approval, times out without an approval, or returns an invalid response.
  [4, 9_004_001, "pm_card_visa"],
  [3, 9_004_002, "pm_card_visa"],
  [2, 9_004_003, "pm_card_visa"],
  // The first response is pending, and the outcome follows later.
  [2, 9_004_005, "pm_card_visa"],
  [2, 9_004_006, "pm_card_visa"],
  // The notification arrives twice, out of order, or before the response.
  [5, 9_005_001, "pm_card_visa"],
  [5, 9_005_002, "pm_card_visa"],
  [5, 9_005_003, "pm_card_visa"],
  // The acquirer approves half the amount, and the service reverses the approval.
  [3, 9_006_002, "pm_card_visa"],
];
const totalWeight = amounts.reduce((sum, [weight]) => sum + weight, 0);

/** Clients that each create one payment. They retry with the same idempotency key until they receive a response. */
export type Clients = {
  /** Starts another client in the background. */
  start(): void;
  /** Returns the number of clients that have not finished. */
  waiting(): number;
  /** Waits until all clients have finished. Throws the first error of a client. */
  finished(): Promise<void>;
  readonly acknowledged: Acknowledged[];
  /** The sessions for which a customer received the status `complete`. */
  readonly completed: Set<string>;
  readonly figures: { started: number; retries: number; replays: number };
};

export function createClients(random: Random, servers: () => readonly Target[]): Clients {
  const acknowledged: Acknowledged[] = [];
  const completed = new Set<string>();
  const figures = { started: 0, retries: 0, replays: 0 };
  const running = new Set<Promise<void>>();
  let failure: unknown = null;
  const run = random.between(0, 2 ** 31).toString(36);

  /** Sends the request to a random running server, and repeats it until the response is not a 5xx. */
  async function sendWithRetries(
    path: string,
    key: string,
    body: object,
    bearer?: string,
  ): Promise<HttpResponse> {
    const deadline = performance.now() + slowed(240_000);
    let problem = "no server is running";
    for (;;) {
      const running = servers();
      const server = running.length > 0 ? random.pick(running) : null;
      const response =
        server &&
        (await post(server.http, path, { bearer: bearer ?? server.secretKey, key, body }).catch(
          (error: Error) => {
            problem = error.message;
            return null;
          },
        ));
      if (response && response.status < 500) return response;
      if (response) problem = response.body;
      assert(performance.now() < deadline, `'${key}' received no response: ${problem}`);
      if (server) figures.retries++;
      await sleep(random.between(200, 800));
    }
  }

  async function charge(key: string): Promise<void> {
    const body = chargeBody(random);
    const sendCharge = () => sendWithRetries("/api/v1/charges", key, body);
    // Some clients send the same request twice simultaneously, possibly to two servers.
    const responses = await Promise.all(
      random.happens(0.15) ? [sendCharge(), sendCharge()] : [sendCharge()],
    );
    if (random.happens(0.1)) {
      const again = await sendCharge();
      assert(again.replayed, `${key} was executed twice`);
      responses.push(again);
    }
    figures.replays += responses.length - 1;
    const [first] = responses as [HttpResponse];
    for (const response of responses)
      assert.equal(response.body, first.body, `${key} returned different responses`);
    acknowledged.push(acknowledgement(key, first));
    await operateOn(key, first);
  }

  /** Captures or cancels an authorization. Sometimes refunds a part of a payment, with two identical requests. */
  async function operateOn(key: string, { status, body }: HttpResponse): Promise<void> {
    const object = JSON.parse(body);
    if (status !== 201) return;
    if (object.status === "authorized") {
      const [what, request] = random.happens(0.3)
        ? ["cancel", {}]
        : ["capture", random.happens(0.3) ? { amount: 50 } : {}];
      const response = await sendWithRetries(
        `/api/v1/charges/${object.id}/${what}`,
        `${key} ${what}`,
        request,
      );
      assert.equal(response.status, 200, response.body);
    } else if (object.status === "succeeded" && random.happens(0.2)) {
      const request = { charge_id: object.id, amount: random.between(1, 50) };
      const refund = () => sendWithRetries("/api/v1/refunds", `${key} refund`, request);
      const responses = await Promise.all([refund(), refund()]);
      assert.equal(responses[0].status, 201, responses[0].body);
      assert.equal(
        responses[0].body,
        responses[1].body,
        `${key} refund returned different responses`,
      );
    }
  }

  /** Creates a checkout session and pays it, sometimes in two tabs simultaneously. */
  async function checkOut(key: string): Promise<void> {
    const created = await sendWithRetries("/api/v1/checkout_sessions", key, {
      amount: random.between(100, 5_000),
      currency: "eur",
    });
    assert.equal(created.status, 201, created.body);
    const { session, embed_url } = JSON.parse(created.body);
    const secret = String(embed_url).split("#")[1] as string;
    const path = `/embed/api/checkout_sessions/${session.id}/confirm`;
    const body = { payment_method_id: "pm_card_visa" };
    const pay = (tab: string) => sendWithRetries(path, `${key} ${tab}`, body, secret);
    const tabs = await Promise.all(random.happens(0.3) ? [pay("a"), pay("b")] : [pay("a")]);
    if (tabs.some((tab) => JSON.parse(tab.body).status === "complete")) completed.add(session.id);
  }

  function start(): void {
    const key = `${run} ${figures.started++}`;
    const work = (random.happens(0.12) ? checkOut(key) : charge(key))
      .catch((error) => {
        failure ??= error;
      })
      .finally(() => running.delete(work));
    running.add(work);
  }

  return {
    start,
    waiting: () => running.size,
    async finished() {
      await Promise.all(running);
      if (failure) throw failure;
    },
    acknowledged,
    completed,
    figures,
  };
}

function chargeBody(random: Random): object {
  let left = random.between(0, totalWeight - 1);
  for (const [weight, amount, payment_method_id] of amounts) {
    left -= weight;
    if (left >= 0) continue;
    return {
      amount: amount ?? random.between(100, 5_000),
      currency: "usd",
      payment_method_id,
      ...(random.happens(0.15) && { capture_method: "manual" }),
    };
  }
  throw new Error("The weights do not add up");
}

function acknowledgement(key: string, { status, body }: HttpResponse): Acknowledged {
  const object = JSON.parse(body);
  if (status === 201) return { chargeId: object.id as ChargeId, status: object.status };
  assert.equal(status, 402, `${key}: ${body}`);
  return { chargeId: object.error.charge as ChargeId, status: "failed" };
}
