import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChargeId } from "../../src/core/ids.ts";
import type { Acknowledged } from "../../src/insights/verify/check.ts";
import { slowed } from "../slowness.ts";
import { type HttpResponse, post } from "./requests.ts";
import type { Random } from "./seeded-random.ts";
import type { ServerProcess } from "./server-process.ts";

/**
 * The requests with their weights: approvals, declines, and every way in which an acquirer leaves the outcome unknown.
 */
const amounts: readonly (readonly [weight: number, amount: number | null, method: string])[] = [
  [60, null, "pm_card_visa"],
  [12, null, "pm_card_visa_chargeDeclined"],
  // The acquirer times out after an approval or without one, or returns garbage.
  [4, 9_004_001, "pm_card_visa"],
  [3, 9_004_002, "pm_card_visa"],
  [2, 9_004_003, "pm_card_visa"],
  // Pending, with a later outcome.
  [2, 9_004_005, "pm_card_visa"],
  [2, 9_004_006, "pm_card_visa"],
  // Notifications twice, out of order, and before the response.
  [5, 9_005_001, "pm_card_visa"],
  [5, 9_005_002, "pm_card_visa"],
  [5, 9_005_003, "pm_card_visa"],
  // Approved for half the amount, which is reversed.
  [3, 9_006_002, "pm_card_visa"],
];
const totalWeight = amounts.reduce((sum, [weight]) => sum + weight, 0);

/** Clients that retry until they have a response: each sends one request under one key and records the response. */
export type Clients = {
  /** Starts one more client, which runs in the background. */
  begin(): void;
  /** Returns the number of clients without a response. */
  waiting(): number;
  /** Waits until every client has its response. */
  finished(): Promise<void>;
  readonly acknowledged: Acknowledged[];
  /** Sessions that were shown to their customer as complete. */
  readonly completed: Set<string>;
  readonly figures: { begun: number; retries: number; replays: number };
};

export function createClients(random: Random, servers: () => readonly ServerProcess[]): Clients {
  const acknowledged: Acknowledged[] = [];
  const completed = new Set<string>();
  const figures = { begun: 0, retries: 0, replays: 0 };
  const running = new Set<Promise<void>>();
  let failure: unknown = null;
  const run = random.between(0, 2 ** 31).toString(36);

  /** Retries on any running server until the response is final. */
  async function persist(
    path: string,
    key: string,
    body: object,
    bearer?: string,
  ): Promise<HttpResponse> {
    const giveUpAt = performance.now() + slowed(240_000);
    let trouble = "no server was there";
    for (;;) {
      const living = servers();
      const server = living.length > 0 ? random.pick(living) : null;
      const response =
        server &&
        (await post(server.http, path, { bearer: bearer ?? server.secretKey, key, body }).catch(
          (error: Error) => {
            trouble = error.message;
            return null;
          },
        ));
      if (response && response.status < 500) return response;
      if (response) trouble = response.body;
      assert(performance.now() < giveUpAt, `'${key}' never got a response: ${trouble}`);
      if (server) figures.retries++;
      await sleep(random.between(200, 800));
    }
  }

  async function charge(key: string): Promise<void> {
    const body = chargeBody(random);
    const sendCharge = () => persist("/api/v1/charges", key, body);
    // Impatient clients send the same request twice at once, possibly to two servers.
    const responses = await Promise.all(
      random.happens(0.15) ? [sendCharge(), sendCharge()] : [sendCharge()],
    );
    if (random.happens(0.1)) {
      const again = await sendCharge();
      assert(again.replayed, `${key} was executed again`);
      responses.push(again);
    }
    figures.replays += responses.length - 1;
    const [first] = responses as [HttpResponse];
    for (const response of responses)
      assert.equal(response.body, first.body, `${key} had two responses`);
    acknowledged.push(acknowledgement(key, first));
    await goOn(key, first);
  }

  /** Captures or cancels a hold, and sometimes refunds a part of a payment, possibly twice. */
  async function goOn(key: string, { status, body }: HttpResponse): Promise<void> {
    const object = JSON.parse(body);
    if (status !== 201) return;
    if (object.status === "authorized") {
      const [what, request] = random.happens(0.3)
        ? ["cancel", {}]
        : ["capture", random.happens(0.3) ? { amount: 50 } : {}];
      const response = await persist(
        `/api/v1/charges/${object.id}/${what}`,
        `${key} ${what}`,
        request,
      );
      assert.equal(response.status, 200, response.body);
    } else if (object.status === "succeeded" && random.happens(0.2)) {
      const request = { charge_id: object.id, amount: random.between(1, 50) };
      const refund = () => persist("/api/v1/refunds", `${key} refund`, request);
      const responses = await Promise.all([refund(), refund()]);
      assert.equal(responses[0].status, 201, responses[0].body);
      assert.equal(responses[0].body, responses[1].body, `${key} refund had two responses`);
    }
  }

  /** Opens a session's card form and pays, sometimes in two tabs. */
  async function checkOut(key: string): Promise<void> {
    const opened = await persist("/api/v1/checkout_sessions", key, {
      amount: random.between(100, 5_000),
      currency: "eur",
    });
    assert.equal(opened.status, 201, opened.body);
    const { session, embed_url } = JSON.parse(opened.body);
    const secret = String(embed_url).split("#")[1] as string;
    const path = `/embed/api/checkout_sessions/${session.id}/confirm`;
    const body = { payment_method_id: "pm_card_visa" };
    const pay = (tab: string) => persist(path, `${key} ${tab}`, body, secret);
    const tabs = await Promise.all(random.happens(0.3) ? [pay("a"), pay("b")] : [pay("a")]);
    if (tabs.some((tab) => JSON.parse(tab.body).status === "complete")) completed.add(session.id);
  }

  function begin(): void {
    const key = `${run} ${figures.begun++}`;
    const work = (random.happens(0.12) ? checkOut(key) : charge(key))
      .catch((error) => {
        failure ??= error;
      })
      .finally(() => running.delete(work));
    running.add(work);
  }

  return {
    begin,
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
