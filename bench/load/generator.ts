import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../percentile.ts";
import { type Connection, createConnection } from "./connection.ts";
import type { Load, LoadResult } from "./load.ts";

/**
 * A load for the generator, which runs in a separate process. With a rate, the load is an open loop: requests are sent
 * on schedule, independent of earlier responses, and latency is measured from the scheduled time. A stall of the server
 * therefore adds to the latency of every request that waited during the stall (no coordinated omission). Without a
 * rate, each connection sends its next request after the previous response.
 */
export type GeneratedLoad = Load & { readonly rate: number | null };

async function generate(load: GeneratedLoad): Promise<LoadResult> {
  const { host } = new URL(load.url);
  const idle = Array.from({ length: load.connections }, () => createConnection(load.url));
  const everyConnection = [...idle];
  const waiters: ((connection: Connection) => void)[] = [];
  const latencies: number[] = [];
  let failed = 0;
  let count = 0;

  async function send(scheduledAt: number): Promise<void> {
    const number = load.cycle ? count++ % load.cycle : count++;
    const connection = idle.pop() ?? (await new Promise<Connection>((free) => waiters.push(free)));
    try {
      if ((await connection.request(requestOf(load, host, number))) >= 400) failed++;
      else latencies.push(performance.now() - scheduledAt);
    } catch {
      failed++;
    }
    const next = waiters.shift();
    if (next) next(connection);
    else idle.push(connection);
  }

  // Connections are opened before the measurement, because real clients keep their connections open.
  await Promise.all(everyConnection.map(({ opened }) => opened));
  const start = performance.now();
  const end = start + load.seconds * 1000;
  if (load.rate) await sendOnSchedule(load.rate, start, end, send);
  else await sendSequentially(load.connections, end, send);
  const seconds = (performance.now() - start) / 1000;
  for (const connection of everyConnection) connection.close();

  const sorted = Float64Array.from(latencies);
  return {
    succeeded: latencies.length,
    failed,
    seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  };
}

async function sendOnSchedule(
  rate: number,
  start: number,
  end: number,
  send: (scheduledAt: number) => Promise<void>,
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  let scheduledAt = start;
  while (scheduledAt < end) {
    for (; scheduledAt <= performance.now() && scheduledAt < end; scheduledAt += 1000 / rate) {
      const sent = send(scheduledAt).finally(() => inFlight.delete(sent));
      inFlight.add(sent);
    }
    // At 3,000 requests per second, the generator's timer of 1 ms sends three requests together. The latency of each
    // includes the delay of the timer.
    await sleep(1);
  }
  await Promise.all(inFlight);
}

async function sendSequentially(
  connections: number,
  end: number,
  send: (scheduledAt: number) => Promise<void>,
): Promise<void> {
  const connection = async (): Promise<void> => {
    while (performance.now() < end) await send(performance.now());
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

function requestOf(load: Load, host: string, number: number): string {
  const { method, paths, keys } = load;
  // The amounts equal those in requests.lua.
  const body = load.body?.replace("#", String(50 + (number % 100_000)));
  const headers = [
    `${method} ${paths[number % paths.length]} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${load.secretKeys[number % load.secretKeys.length]}`,
    ...(keys ? [`Idempotency-Key: ${keys}${number}`] : []),
    ...(body ? [`Content-Type: ${contentTypeOf(body)}`, `Content-Length: ${body.length}`] : []),
  ];
  return `${headers.join("\r\n")}\r\n\r\n${body ?? ""}`;
}

function contentTypeOf(body: string): string {
  return body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
}

process.once("message", async (load: GeneratedLoad) => {
  process.send?.(await generate(load));
  process.disconnect?.();
});
