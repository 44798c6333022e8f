import { idFromUuid, uuidOf } from "@florin/server/core/ids.ts";
import pg from "pg";
import { chargesPath } from "../charge-request.ts";
import { measure } from "../measurement.ts";
import type { Merchant, Server } from "../processes/server-messages.ts";
import { measureCharges } from "./charges.ts";
import type { Scenario } from "./scenario.ts";

/** The scenarios for `--rows`: requests on the filled database, to compare with the same requests on the empty one. */
export const filledScenarios: readonly Scenario[] = [
  {
    name: "charges of 1,000 merchants on the filled database, 256 connections",
    measure: async (environment, run) => {
      const server = await environment.filledServer();
      return measureCharges(environment, server, 256, run, { merchants: server.merchants });
    },
  },
  {
    name: "reads of a charge on the filled database, 64 connections",
    measure: async (environment, { seconds }) => {
      const server = await environment.filledServer();
      const merchant = server.merchants[1] as Merchant;
      return measure(environment, server.pid, {
        url: server.url,
        secretKeys: [merchant.secretKey],
        method: "GET",
        paths: await pathsOfCharges(server, merchant),
        connections: 64,
        seconds,
      });
    },
  },
];

/** Returns the paths of up to a hundred random charges of the merchant. */
async function pathsOfCharges({ databaseUrl }: Server, { account }: Merchant): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client
    .query<{ id: string }>(
      "select id from charges where account_id = $1 order by md5(id::text) limit 100",
      [uuidOf(account)],
    )
    .finally(() => client.end());
  return rows.map(({ id }) => `${chargesPath}/${idFromUuid("ch", id)}`);
}
