import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { usageWithWorkers } from "../cpu-and-memory.ts";
import type { Environment } from "../environment.ts";
import { adyenAccount } from "../live-mode.ts";
import type { Measurement, Run } from "../measurement.ts";
import { percentile } from "../percentile.ts";
import type { Scenario } from "./scenario.ts";

/** The number of notifications sent per second, independent of earlier responses. */
const rate = 500;

export const notificationScenarios: readonly Scenario[] = [
  { name: `acquirer notifications, open loop at ${rate}/s`, once: true, measure },
];

/**
 * Sends signed notifications of Adyen to the endpoint of a connection. Each notification is different. The service
 * verifies and stores a notification before it responds. The service does no further work for this type of event.
 */
async function measure(environment: Environment, { seconds }: Run): Promise<Measurement> {
  const server = await environment.liveServer(0);
  const path = await endpointPath(server.adyenUrl);
  const bodies = Array.from({ length: rate * seconds }, notificationBody);
  const latencies: number[] = [];
  let failed = 0;
  const send = async (body: string, scheduledAt: number): Promise<void> => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    await response.arrayBuffer();
    if (response.status === 202) latencies.push(performance.now() - scheduledAt);
    else failed += 1;
  };
  const before = usageWithWorkers(server.pid);
  const started = performance.now();
  const sent: Promise<void>[] = [];
  for (const [number, body] of bodies.entries()) {
    const scheduledAt = started + (number * 1_000) / rate;
    while (performance.now() < scheduledAt) await sleep(1);
    sent.push(send(body, scheduledAt));
  }
  await Promise.all(sent);
  const after = usageWithWorkers(server.pid);
  const sorted = Float64Array.from(latencies);
  const serviceSeconds = before && after ? after.cpuSeconds - before.cpuSeconds : Number.NaN;
  return {
    perSecond: latencies.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
    succeeded: latencies.length,
    seconds,
    cpu: {
      service: (serviceSeconds * 1e6) / latencies.length,
      postgres: Number.NaN,
      load: Number.NaN,
    },
    violations: failed === 0 ? [] : [`${failed} notifications were not accepted`],
  };
}

async function endpointPath(adyenUrl: string): Promise<string> {
  const response = await fetch(`${adyenUrl}/control/accounts`);
  const { accounts } = (await response.json()) as { accounts: { webhookUrl: string }[] };
  return new URL(accounts[0]?.webhookUrl ?? "").pathname;
}

/**
 * Returns a notification with Adyen's signature over eight of its fields
 * (docs.adyen.com/development-resources/webhooks/secure-webhooks).
 */
function notificationBody(): string {
  const { merchantAccount, hmacKey } = adyenAccount;
  const pspReference = randomUUID();
  const signed = [pspReference, "", merchantAccount, "", "0", "EUR", "OFFER_CLOSED", "true"];
  const hmacSignature = createHmac("sha256", Buffer.from(hmacKey, "hex"))
    .update(signed.join(":"))
    .digest("base64");
  const item = {
    eventCode: "OFFER_CLOSED",
    success: "true",
    pspReference,
    merchantAccountCode: merchantAccount,
    merchantReference: "",
    amount: { value: 0, currency: "EUR" },
    eventDate: "2026-01-31T12:00:00+01:00",
    additionalData: { hmacSignature },
  };
  return JSON.stringify({
    live: "false",
    notificationItems: [{ NotificationRequestItem: item }],
  });
}
