import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Client, createClient, type Sent } from "../../client.ts";
import { type ResponseCheck, responseCheckOf } from "../../response-check.ts";
import { dose, seed } from "../../test-size.ts";
import { seededRandom } from "../seeded-random.ts";
import { apiTargets } from "./api-targets.ts";
import { assertWellFormed } from "./assert-well-formed.ts";
import { buyerTargets } from "./buyer-targets.ts";
import { createCredentials } from "./credentials.ts";
import { referenceTurnMs } from "./event-loop-stalls.ts";
import { startFuzzedService } from "./fuzzed-service.ts";
import { pageTargets } from "./page-targets.ts";
import { peopleTargets } from "./people-targets.ts";
import type { FuzzedRequest, Group, Target } from "./request.ts";
import { createResponseValues } from "./response-values.ts";

/*
 * Sends random requests to every route of both listeners. generated-values.ts lists the kinds of generated values.
 * Asserts that no response is a 5xx, that each response matches the OpenAPI document or the schema of its route, and
 * that no iteration of the server's event loop computes longer than 100 ms. `npm run fuzz` sends 50,000 requests.
 * FUZZ_ONLY=/operator/ selects the routes that contain this string.
 */
const requests = dose("requests", { short: 200, long: 50_000 });
const only = process.env.FUZZ_ONLY ?? "";
const concurrent = 6;

let service: Awaited<ReturnType<typeof startFuzzedService>>;
let client: Client;
let internal: Client;
let check: ResponseCheck;
before(async () => {
  service = await startFuzzedService();
  client = createClient(service.url);
  internal = createClient(service.internalUrl);
  check = responseCheckOf(service.document, service.routes);
});
after(async () => {
  await client?.close();
  await internal?.close();
  await service?.close();
});

/** Operations that are slow by design, or that disturb the other requests, for example by advancing the clock. */
const rarelySent =
  /\/(clock\/advance|reconciliations|rule_trials|settings_copy|team\/leave|checker_runs)/;

test(`${requests} fuzzed requests: no 5xx, no stall over ${referenceTurnMs} ms, every response valid (seed ${seed})`, async () => {
  const as = await createCredentials(service);
  const merchantValues = createResponseValues();
  const peopleValues = createResponseValues();
  for (const [path, body] of validRequests()) {
    const headers = { authorization: `Bearer ${as.merchant().key}` };
    merchantValues.note((await client.send("POST", `/api/v1${path}`, { body, headers })).body);
  }
  const targets = [
    ...apiTargets(service, merchantValues, as.merchant),
    ...peopleTargets(service, peopleValues, as),
    ...buyerTargets({ service, client, known: merchantValues, merchant: as.merchant }),
    ...pageTargets(service, merchantValues),
  ];
  assertEveryRoute(targets);
  const chosen = targets.filter(({ route }) => route.includes(only));
  const counts = createCounts(chosen);
  const failures: string[] = [];
  const sentAt: { at: number; what: string }[] = [];
  let next = 0;

  async function worker(): Promise<void> {
    while (next < requests && failures.length < 25) {
      const number = next++;
      // Multiply the seed, so that two consecutive seeds do not generate the same requests.
      const random = seededRandom(Math.imul(seed, 0x9e3779b1) + number);
      let target = random.pick(chosen);
      if (rarelySent.test(target.route) && !random.happens(0.1)) target = random.pick(chosen);
      const fuzzed = await target.fuzz(random);
      const what = `#${number} ${fuzzed.method} ${fuzzed.path.slice(0, 300)} ${describe(fuzzed.sent)}`;
      sentAt.push({ at: Date.now(), what });
      if (sentAt.length > 500) sentAt.shift();
      try {
        await sendAndCheck(target, fuzzed);
      } catch (error) {
        failures.push(`${what}\n  ${error instanceof Error ? error.message : error}`);
      }
    }
  }

  async function sendAndCheck(target: Target, fuzzed: FuzzedRequest): Promise<void> {
    const { method, path, sent } = fuzzed;
    const to = target.group === "simulated network" ? internal : client;
    const reply = target.route.endsWith("/events/stream")
      ? await to.sendToStream(method, path, sent)
      : await to.send(method, path, sent);
    counts.add(target, reply.status);
    assert.ok(reply.status < 500, `returned ${reply.status}: ${reply.text}`);
    assertWellFormed(target, method, reply);
    if (method !== "HEAD") check(method, path, reply);
    if (reply.status < 300 && target.group === "API") merchantValues.note(reply.body);
    fuzzed.note?.(reply);
    await as.renew(fuzzed, reply);
  }

  await Promise.all(Array.from({ length: concurrent }, worker));
  const { stalls, loggedErrors } = await service.report();
  console.log(`# seed ${seed}, ${next} requests to ${chosen.length} targets\n${counts.summary()}`);
  const stalled = stalls.map(({ endedAt, gapMs, cpuMs }) => {
    const suspects = sentAt.filter(({ at }) => at <= endedAt && at >= endedAt - gapMs - 200);
    return `${Math.round(cpuMs)} ms of CPU time in ${Math.round(gapMs)} ms, during\n    ${suspects.map((request) => request.what).join("\n    ")}`;
  });
  assert.deepEqual(failures, [], failures.join("\n"));
  assert.deepEqual(stalled, [], stalled.join("\n"));
  assert.deepEqual(loggedErrors, [], "errors in the service's log");
  assert.deepEqual(counts.groupsWithoutSuccess(), [], "groups with too few successes");
});

/** Asserts that the targets are exactly the server's routes, so that a new route without a target fails here. */
function assertEveryRoute(targets: readonly Target[]): void {
  const named = ({ method, url }: { method: string; url: string }) => `${method} ${url}`;
  const served = [
    ...service.routes.map(named),
    ...service.internalRoutes.map((route) => `internal ${named(route)}`),
  ];
  const fuzzed = targets.flatMap(({ route }) => route.split("\n"));
  assert.deepEqual(fuzzed.filter((route) => route !== "unknown").toSorted(), served.toSorted());
}

/** Counts responses by group and status, and collects the routes with a successful response. */
function createCounts(targets: readonly Target[]) {
  const statuses = new Map<Group, Map<number, number>>();
  const succeeded = new Set<string>();
  return {
    add({ group, route }: Target, status: number): void {
      const ofGroup = statuses.get(group) ?? new Map<number, number>();
      ofGroup.set(status, (ofGroup.get(status) ?? 0) + 1);
      statuses.set(group, ofGroup);
      if (status < 400) succeeded.add(route);
    },
    summary(): string {
      const lines = [...statuses].map(([group, counts]) => {
        const reported = [...counts]
          .sort(([a], [b]) => a - b)
          .map(([s, count]) => `${s}: ${count}`);
        return `# ${group}: ${reported.join(", ")}`;
      });
      const never = targets.filter(({ route }) => !succeeded.has(route));
      return [
        ...lines,
        `# ${never.length} targets without a success: ${never.map(({ route }) => route.split("\n")[0]).join(", ")}`,
      ].join("\n");
    },
    /** Returns the groups in which fewer than 5% of the requests succeed, so that few reach the handlers. */
    groupsWithoutSuccess(): string[] {
      return [...statuses]
        .filter(([, counts]) => {
          const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
          const good = [...counts].filter(([status]) => status < 400);
          return all >= 50 && good.reduce((sum, [, count]) => sum + count, 0) < all / 20;
        })
        .map(([group]) => group);
    },
  };
}

/** Returns valid requests that create objects of many types and states. */
function validRequests(): [path: string, body: object][] {
  const price = { amount: 1_999, currency: "usd" };
  const methods = [
    "pm_card_visa",
    "pm_card_threeDSecure2Required",
    "pm_card_chargeDeclined",
    "pm_card_riskLevelElevated",
    "pm_card_createDispute",
    "pm_card_createDisputeInquiry",
  ];
  const charges = methods.flatMap((payment_method_id): [string, object][] => [
    ["/charges", { ...price, payment_method_id, metadata: { order: "7" } }],
    ["/charges", { ...price, payment_method_id, capture_method: "manual" }],
    ["/decisions", { ...price, payment_method_id, ip: "8.8.8.8" }],
  ]);
  return [
    ...charges,
    ["/customers", { name: "Ada", email: "ada@example.com" }],
    ["/checkout_sessions", { ...price, client_reference_id: "order-7" }],
    ["/checkout_sessions", { ...price, save_payment_method: true }],
    ["/webhook_endpoints", { url: "http://127.0.0.1:1/hooks", enabled_events: ["*"] }],
    ["/rules", { expression: "amount > 50000", outcome: "review" }],
    ["/list_entries", { list: "block", field: "email", value: "eve@example.com" }],
    ["/saved_views", { list: "charges", name: "Failed", query: "status=failed" }],
  ];
}

function describe({ body, headers }: Sent): string {
  const key = headers?.["idempotency-key"];
  return `${key ? `[${key}] ` : ""}${String(body ?? "").slice(0, 400)}`;
}
