import { chargeBody, chargesPath, createCharge } from "../charge-request.ts";
import type { Environment } from "../environment.ts";
import type { Load } from "../load/load.ts";
import { measure, type Run } from "../measurement.ts";
import type { Server } from "../processes/server-messages.ts";
import type { Scenario } from "./scenario.ts";

/** The requests, other than new charges, that merchants send frequently. */
export const requestScenarios: readonly Scenario[] = [
  {
    name: "replayed charges, 64 connections",
    once: true,
    measure: (environment, run) => measureRequests(environment, run, replays),
  },
  {
    name: "checkout sessions, 64 connections",
    once: true,
    measure: (environment, run) => measureRequests(environment, run, sessions),
  },
  {
    name: "reads of a charge, 64 connections",
    once: true,
    measure: (environment, run) => measureRequests(environment, run, reads),
  },
  {
    name: "lists of 100 charges, 64 connections",
    measure: (environment, run) => measureRequests(environment, run, lists),
  },
  {
    name: "lists of 100 events, 64 connections",
    once: true,
    measure: (environment, run) => measureRequests(environment, run, eventLists),
  },
];

type Requests = Pick<Load, "method" | "paths" | "body" | "keys" | "cycle">;

async function measureRequests(
  environment: Environment,
  { seconds, label }: Run,
  requests: (server: Server, label: string) => Requests | Promise<Requests>,
) {
  const server = await environment.server();
  const { url, merchant } = server;
  return measure(environment, server.pid, {
    url,
    secretKeys: [merchant.secretKey],
    ...(await requests(server, label)),
    connections: 64,
    seconds,
  });
}

/**
 * The first thousand requests create charges. Each later request repeats one of the first thousand and receives the
 * stored response.
 */
const replays = (_server: Server, label: string) =>
  ({
    method: "POST",
    paths: [chargesPath],
    body: chargeBody,
    keys: `${label}-`,
    cycle: 1_000,
  }) as const;

const sessions = (_server: Server, label: string) =>
  ({
    method: "POST",
    paths: ["/api/v1/checkout_sessions"],
    body: '{"amount":#,"currency":"usd","client_reference_id":"order 7"}',
    keys: `${label}-`,
  }) as const;

async function reads(server: Server): Promise<Requests> {
  const paths = (await chargeIds(server)).map((id) => `${chargesPath}/${id}`);
  return { method: "GET", paths };
}

async function lists(server: Server): Promise<Requests> {
  await chargeIds(server);
  return { method: "GET", paths: [`${chargesPath}?limit=100`] };
}

async function eventLists(server: Server): Promise<Requests> {
  await chargeIds(server);
  return { method: "GET", paths: ["/api/v1/events?limit=100"] };
}

/** Returns the ids of a hundred charges to read. Creates the charges if there are none yet. */
async function chargeIds(server: Server): Promise<string[]> {
  const ids = await newestCharges(server);
  if (ids.length === 100) return ids;
  await Promise.all(Array.from({ length: 100 }, () => createCharge(server)));
  return newestCharges(server);
}

async function newestCharges({ url, merchant }: Server): Promise<string[]> {
  const response = await fetch(`${url}${chargesPath}?limit=100`, {
    headers: { authorization: `Bearer ${merchant.secretKey}` },
  });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}
