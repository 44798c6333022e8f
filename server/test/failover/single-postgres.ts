import assert from "node:assert/strict";
import { appendFile, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { parse } from "yaml";
import { inDebian, numberInDebian } from "./debian-tree.ts";
import { createDatabase, deploy, password, readPostmaster } from "./ha-cluster.ts";
import type { Machine } from "./machines.ts";

const programs = "/usr/lib/postgresql/17/bin";

/** A Postgres without standbys, with the programs and the settings of the cluster's nodes. */
export type SinglePostgres = {
  /** The URL of the database `florin`. */
  readonly url: string;
  readonly postmaster: number;
  stop(): Promise<void>;
};

/** Creates a Postgres on a machine of its own, and its database `florin`. */
export async function startSinglePostgres(
  machine: Machine,
  directory: string,
): Promise<SinglePostgres> {
  const home = join(directory, machine.name);
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "password"), password);
  const owner = await numberInDebian("-u", "postgres");
  const group = await numberInDebian("-g", "postgres");
  for (const path of [home, join(home, "password")]) await chown(path, owner, group);
  const homeInDebian = `${inDebian.data}/${machine.name}`;
  const data = `${homeInDebian}/data`;
  const { initdb, parameters } = await readPatroniSettings();
  const created = await machine.run(
    [`${programs}/initdb`, "-D", data, `--pwfile=${homeInDebian}/password`, ...initdb],
    { timeoutMs: 120_000 },
  );
  assert(created !== null, "initdb failed");
  await appendFile(join(home, "data/pg_hba.conf"), "host all all all scram-sha-256\n");
  const settings = { ...parameters, listen_addresses: "*" };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  machine.start([`${programs}/postgres`, "-D", data, ...args], {
    user: "postgres",
    env: {},
    log: join(home, "postgres.log"),
  });
  const urlOf = (role: string, database: string) =>
    `postgres://${role}:${password}@${machine.address}:5432/${database}`;
  await untilConnected(urlOf("postgres", "postgres"));
  await createDatabase(urlOf("postgres", "postgres"));
  return {
    url: `${urlOf("florin", "florin")}?sslmode=disable`,
    postmaster: await readPostmaster(directory, machine),
    stop: () => machine.signal("SIGKILL"),
  };
}

/** Returns the options of initdb and the parameters of Postgres in `patroni.yml`. */
async function readPatroniSettings(): Promise<{
  readonly initdb: readonly string[];
  readonly parameters: Readonly<Record<string, string | number>>;
}> {
  const { bootstrap } = parse(await readFile(join(deploy, "patroni.yml"), "utf8")) as {
    bootstrap: {
      dcs: { postgresql: { parameters: Record<string, string | number> } };
      initdb: (string | Record<string, string>)[];
    };
  };
  return {
    initdb: bootstrap.initdb.flatMap((option) =>
      typeof option === "string"
        ? [`--${option}`]
        : Object.entries(option).map(([name, value]) => `--${name}=${value}`),
    ),
    parameters: bootstrap.dcs.postgresql.parameters,
  };
}

async function untilConnected(url: string): Promise<void> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(250);
  }
}
