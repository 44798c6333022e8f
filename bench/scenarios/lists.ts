import pg from "pg";
import { chargesPath } from "../charge-request.ts";
import { usageWithWorkers } from "../cpu-and-memory.ts";
import type { Environment } from "../environment.ts";
import { fillVariedCharges } from "../fill-varied-charges.ts";
import type { LoadResult } from "../load/load.ts";
import { type Measurement, measure, measureRun, type Run } from "../measurement.ts";
import { percentile } from "../percentile.ts";
import type { Server } from "../processes/server-messages.ts";
import type { Scenario } from "./scenario.ts";

/** Reads of a merchant with many different payments. */
export const listScenarios: readonly Scenario[] = [
  {
    name: "lists of 100 charges, another page each, 64 connections",
    measure: measurePages,
  },
  { name: "CSV download of 100,000 charges", measure: measureDownload },
];

const charges = 100_000;
const pageSize = 100;

async function measurePages(environment: Environment, { seconds }: Run): Promise<Measurement> {
  const server = await filledServer(environment);
  const { url, merchant } = server;
  return measure(environment, server.pid, {
    url,
    secretKeys: [merchant.secretKey],
    method: "GET",
    paths: await pathsOfPages(server),
    connections: 64,
    seconds,
  });
}

/** Downloads the charges again and again until `seconds` have passed. The unit is a line, not a response. */
async function measureDownload(environment: Environment, { seconds }: Run): Promise<Measurement> {
  const server = await filledServer(environment);
  const megabytes = () => usageWithWorkers(server.pid)?.megabytes ?? Number.NaN;
  // The first download is not measured, because it compiles the code.
  await download(server, () => undefined);
  const before = megabytes();
  let peak = before;
  const measured = await measureRun(environment, server.pid, async () => {
    const startedAt = performance.now();
    const elapsedMs = () => performance.now() - startedAt;
    const durationsMs: number[] = [];
    let lines = 0;
    while (elapsedMs() < seconds * 1_000) {
      const from = elapsedMs();
      lines += await download(server, () => {
        peak = Math.max(peak, megabytes());
      });
      durationsMs.push(elapsedMs() - from);
    }
    const [p50Ms, p99Ms] = [0.5, 0.99].map((share) =>
      percentile(new Float64Array(durationsMs), share),
    );
    return {
      succeeded: lines,
      failed: 0,
      seconds: elapsedMs() / 1_000,
      p50Ms,
      p99Ms,
    } as LoadResult;
  });
  return { ...measured, grownMegabytes: peak - before };
}

/** Returns the number of lines. Calls `onChunk` for each chunk of the response. */
async function download({ url, merchant }: Server, onChunk: () => void): Promise<number> {
  const { body } = await fetch(`${url}${chargesPath}.csv`, {
    headers: { authorization: `Bearer ${merchant.secretKey}` },
  });
  let lines = -1; // The header line is not counted.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++;
    onChunk();
  }
  if (lines !== charges) throw new Error(`The download has ${lines} lines instead of ${charges}`);
  return lines;
}

const lineFeed = 0x0a;

const filled = new WeakMap<Environment, Promise<Server>>();

/**
 * Returns a server whose database is filled with charges. The server runs no jobs, because the simulator does not have
 * these charges.
 */
function filledServer(environment: Environment): Promise<Server> {
  const server = filled.get(environment) ?? fill(environment);
  filled.set(environment, server);
  return server;
}

async function fill(environment: Environment): Promise<Server> {
  const server = await environment.serverWithoutJobs();
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  await fillVariedCharges(client, server.merchant.account, charges);
  await client.end();
  return server;
}

/**
 * Returns the paths of all pages except the newest one, so that each request reads charges that no recent request has
 * read.
 */
async function pathsOfPages({ url, merchant }: Server): Promise<string[]> {
  const paths: string[] = [];
  let after = "";
  while (paths.length < charges / pageSize - 1) {
    const response = await fetch(`${url}${chargesPath}?limit=${pageSize}${after}`, {
      headers: { authorization: `Bearer ${merchant.secretKey}` },
    });
    const { data } = (await response.json()) as { data: { id: string }[] };
    after = `&starting_after=${data.at(-1)?.id}`;
    paths.push(`${chargesPath}?limit=${pageSize}${after}`);
  }
  return paths;
}
