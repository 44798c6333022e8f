import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { chown, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Agent, request } from "undici";
import { commandInDebian, inDebian, mountDebian, numberInDebian } from "./debian-tree.ts";
import { createMachines, ended, type Machine } from "./machines.ts";

/** The configuration files that this cluster shares with an installation. */
export const deploy = join(import.meta.dirname, "../../../deploy/ha");

/** The password of all roles of the tests. */
export const password = "a-password-of-the-tests";

/** A node with etcd, Patroni and Postgres. */
export type Node = {
  readonly machine: Machine;
  /** Starts etcd and Patroni, for the first time or after `kill`. */
  start(): void;
  /** Kills every process of the node. */
  kill(): Promise<void>;
  /** Returns whether the node holds the lease of the primary. Patroni then responds to HAProxy's check with 200. */
  isPrimary(): Promise<boolean>;
  /** Returns the roles and states of all nodes as this node knows them from etcd. */
  readMembers(): Promise<readonly Member[]>;
};

type Member = { readonly name: string; readonly role: string; readonly state: string };

export type HaCluster = {
  readonly nodes: readonly Node[];
  /** The URL of the database `florin` through HAProxy. */
  readonly url: string;
  /** The password of all roles. */
  readonly password: string;
  /** The process ID of HAProxy. */
  readonly haproxyPid: number;
  /** The URL of the standbys through HAProxy. */
  readonly replicaUrl: string;
  /** The URL of the database `florin` with the addresses of all nodes. */
  readonly urlOfNodes: string;
  /** The URL of the database `postgres` on one node for its superuser. */
  superuserUrl(node: Node): string;
  /** Waits until there is one primary and the other nodes stream from it. Returns the primary. */
  waitUntilWhole(timeoutMs: number): Promise<Node>;
  /** Returns the node that holds the lease of the primary, or null. */
  primary(): Promise<Node | null>;
  stop(): Promise<void>;
};

/** Starts three nodes and HAProxy, with the files of deploy/ha/, and creates the database `florin`. */
export async function startHaCluster(directory: string): Promise<HaCluster> {
  const machines = await createMachines(3);
  await mountDebian(directory, deploy);
  const owner = await numberInDebian("-u", "postgres");
  const group = await numberInDebian("-g", "postgres");
  const nodes: Node[] = [];
  for (const machine of machines) {
    const home = join(directory, machine.name);
    await mkdir(home, { mode: 0o700 });
    await chown(home, owner, group);
    nodes.push(createNode(machine, home, machines));
  }
  for (const node of nodes) node.start();
  const haproxy = startHaproxy(directory, machines);

  const superuserUrl = ({ machine }: Node) =>
    `postgres://postgres:${password}@${machine.address}:5432/postgres`;

  const primary = async (): Promise<Node | null> => {
    const answers = await Promise.all(nodes.map((node) => node.isPrimary()));
    return nodes[answers.indexOf(true)] ?? null;
  };
  /**
   * Returns whether every node has the setting that makes commits wait for a standby. The standbys have it too, so that
   * commits wait as soon as one of them is promoted (postgres.conf).
   */
  const allCommitsWait = async (): Promise<boolean> => {
    const names = await Promise.all(nodes.map((node) => readSynchronousNames(superuserUrl(node))));
    return names.every((name) => name !== null && name !== "");
  };
  const waitUntilWhole = async (timeoutMs: number): Promise<Node> => {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const leader = await primary();
      const members = (await leader?.readMembers()) ?? [];
      // Patroni first makes commits wait for a node, then permits its promotion in etcd, and then lists it as a quorum
      // standby.
      const ready = members.filter(
        ({ role, state }) => role === "quorum_standby" && state === "streaming",
      );
      if (leader && ready.length === 2 && (await allCommitsWait())) return leader;
      if (performance.now() > deadline) {
        const found = JSON.stringify(members.map(({ name, role, state }) => [name, role, state]));
        throw new Error(`The cluster is not whole after ${timeoutMs} ms: ${found}`);
      }
      await sleep(250);
    }
  };
  const stop = async (): Promise<void> => {
    for (const node of nodes) await node.kill();
    haproxy.kill("SIGKILL");
    await ended(haproxy);
  };
  const hosts = machines.map(({ address }) => `${address}:5432`).join(",");
  try {
    const first = await waitUntilWhole(180_000);
    await createDatabase(superuserUrl(first));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    nodes,
    url: `postgres://florin:${password}@127.0.0.1:5000/florin`,
    replicaUrl: `postgres://florin:${password}@127.0.0.1:5001/florin`,
    password,
    haproxyPid: haproxy.pid as number,
    urlOfNodes: `postgres://florin:${password}@${hosts}/florin?target_session_attrs=read-write`,
    superuserUrl,
    waitUntilWhole,
    primary,
    stop,
  };
}

/** Returns the setting `synchronous_standby_names` of a node, or null if the node does not respond. */
async function readSynchronousNames(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    const { rows } = await client.query(
      "select current_setting('synchronous_standby_names') as names",
    );
    return rows[0]?.names ?? null;
  } catch {
    return null;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function createNode(machine: Machine, home: string, all: readonly Machine[]): Node {
  const { name, address } = machine;
  const homeInDebian = `${inDebian.data}/${name}`;
  const log = (program: string) => join(home, `${program}.log`);
  const etcd = {
    ETCD_NAME: name,
    ETCD_DATA_DIR: `${homeInDebian}/etcd`,
    ETCD_LISTEN_PEER_URLS: `http://${address}:2380`,
    ETCD_LISTEN_CLIENT_URLS: `http://${address}:2379,http://127.0.0.1:2379`,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${address}:2380`,
    ETCD_ADVERTISE_CLIENT_URLS: `http://${address}:2379`,
    ETCD_INITIAL_CLUSTER: all.map((one) => `${one.name}=http://${one.address}:2380`).join(","),
    ETCD_INITIAL_CLUSTER_STATE: "new",
    ETCD_INITIAL_CLUSTER_TOKEN: "florin",
    ETCD_ENABLE_V2: "true",
    ETCD_LOG_LEVEL: "warn",
  };
  const patroni = {
    PATRONI_NAME: name,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
    PATRONI_POSTGRESQL_DATA_DIR: `${homeInDebian}/data`,
    PATRONI_ETCD_HOSTS: all.map((one) => `${one.address}:2379`).join(","),
    PATRONI_SUPERUSER_PASSWORD: password,
    PATRONI_REPLICATION_PASSWORD: password,
    PATRONI_REWIND_PASSWORD: password,
  };
  let running: ChildProcess[] = [];
  return {
    machine,
    start() {
      running = [
        machine.start(["etcd"], { user: "postgres", env: etcd, log: log("etcd") }),
        machine.start(["patroni", `${inDebian.deploy}/patroni.yml`], {
          user: "postgres",
          env: { ...patroni, HOME: homeInDebian },
          log: log("patroni"),
        }),
      ];
    },
    async kill() {
      await machine.signal("SIGKILL");
      await Promise.all(running.map(ended));
    },
    async isPrimary() {
      const response = await patroniOf(address, "OPTIONS", "/primary");
      return response?.statusCode === 200;
    },
    async readMembers() {
      const response = await patroniOf(address, "GET", "/cluster");
      return (response?.body as { members?: Member[] } | undefined)?.members ?? [];
    },
  };
}

/** Sends a request to the REST API of Patroni. Returns null if there is no response. */
async function patroniOf(
  address: string,
  method: "GET" | "OPTIONS",
  path: string,
): Promise<{ statusCode: number; body: unknown } | null> {
  const limits = { headersTimeout: 2_000, bodyTimeout: 2_000, reset: true };
  try {
    const { statusCode, body } = await request(`http://${address}:8008${path}`, {
      dispatcher: restApi,
      method,
      ...limits,
    });
    const text = await body.text();
    return { statusCode, body: text === "" ? null : JSON.parse(text) };
  } catch {
    return null;
  }
}

const restApi = new Agent({ connect: { timeout: 1_000 } });

function startHaproxy(directory: string, machines: readonly Machine[]): ChildProcess {
  const addresses = Object.fromEntries(
    machines.map(({ address }, index) => [`NODE${index + 1}`, address]),
  );
  const command = ["haproxy", "-db", "-f", `${inDebian.deploy}/haproxy.cfg`];
  const [file, ...args] = commandInDebian("haproxy", command) as [string, ...string[]];
  const log = openSync(join(directory, "haproxy.log"), "a");
  return spawn(file, args, {
    stdio: ["ignore", log, log],
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LISTEN: "127.0.0.1", ...addresses },
  });
}

/** Creates the role and the database as docs/operating/production.md describes. */
export async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create role florin login password '${password}'`);
  await client.query("create database florin owner florin");
  await client.query("create table probe (name text primary key)");
  await client.end();
}

/** Returns the process ID of the Postgres whose data is in `<directory>/<machine>/data`. */
export async function readPostmaster(directory: string, { name }: Machine): Promise<number> {
  return Number.parseInt(await readFile(join(directory, name, "data/postmaster.pid"), "utf8"), 10);
}

/** Returns the end of the logs of a node, to diagnose a failure. */
export async function endOfLogs(directory: string, { machine }: Node): Promise<string> {
  const read = (program: string) =>
    readFile(join(directory, machine.name, `${program}.log`), "utf8").catch(() => "");
  return `${machine.name}:\n${(await read("patroni")).slice(-3_000)}\n${(await read("etcd")).slice(-1_000)}`;
}
