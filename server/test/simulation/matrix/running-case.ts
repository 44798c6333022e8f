import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { AccountId } from "../../../src/core/ids.ts";
import { createCardholder, someScreen } from "../../cardholder.ts";
import type { Client, Reply } from "../../client.ts";
import { slowed } from "../../slowness.ts";
import type { FaultCase, Operation } from "./fault-cases.ts";

/** A case with a separate merchant. The fault affects the merchant's only message of this type. */
export type RunningCase = FaultCase & {
  readonly account: AccountId;
  readonly secret: string;
  /** The ID of the charge under test. In an authorization case, the charge that the request creates. */
  charge: string | null;
  /** The challenge URL for the cardholder, with the secret. */
  challenge: string | null;
};

export const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

export function send(
  client: Client,
  { secret }: RunningCase,
  path: string,
  key: string,
  body: object,
) {
  const headers = { authorization: `Bearer ${secret}`, "idempotency-key": key };
  return client.send("POST", path, { headers, body });
}

const maxTries = 20;

/**
 * Repeats the request while the response is 503, after the time in `Retry-After`. All cases are prepared
 * simultaneously, so on a busy machine some requests time out while they wait for a database connection.
 */
export async function retryUnavailable(request: () => Promise<Reply>): Promise<Reply> {
  for (let tried = 1; ; tried++) {
    const reply = await request();
    if (reply.status !== 503 || tried === maxTries) return reply;
    await sleep(Number(reply.headers.get("retry-after") ?? 1) * 1_000);
  }
}

export const paths: Readonly<Record<Operation, (testCase: RunningCase) => string | null>> = {
  authorize: () => "/api/v1/charges",
  capture: ({ charge }) => `/api/v1/charges/${charge}/capture`,
  void: ({ charge }) => `/api/v1/charges/${charge}/cancel`,
  refund: () => "/api/v1/refunds",
  // A job sends the inquiry when it is due. No request triggers it.
  inquiry: () => null,
  authenticate: ({ challenge }) => `${new URL(challenge ?? "").pathname}/authenticate`,
};

export function bodyOf({ operation, charge }: RunningCase): object {
  if (operation === "authorize") return visa;
  if (operation === "authenticate") return someScreen;
  return operation === "refund" ? { charge_id: charge } : {};
}

/** Sends the request of a case. Each call sends the same request. */
export async function sendRequest(client: Client, testCase: RunningCase): Promise<Reply | null> {
  const path = paths[testCase.operation](testCase);
  if (!path) return null;
  if (testCase.operation === "authenticate") return authenticate(client, testCase);
  for (let attempt = 1; ; attempt++) {
    const reply = await send(client, testCase, path, "the request", bodyOf(testCase));
    if (reply.status < 500 || attempt === maxTries) {
      assert.ok(reply.status < 500, reply.text);
      if (testCase.operation === "authorize") {
        testCase.charge = reply.body.id ?? reply.body.error?.charge;
      }
      return reply;
    }
    await sleep(250);
  }
}

/**
 * Authenticates in the cardholder's browser. Starts at the challenge document, as after a reload, and continues to the
 * last step.
 */
async function authenticate(client: Client, { challenge }: RunningCase): Promise<null> {
  const cardholder = createCardholder(client, challenge ?? "");
  for (const deadline = performance.now() + slowed(30_000); performance.now() < deadline; ) {
    const { body } = await cardholder.begin();
    if (body.step === "done") return null;
    if (body.step === "authenticate") await cardholder.authenticate();
    else await sleep(200);
  }
  return assert.fail(`${challenge} did not finish`);
}
