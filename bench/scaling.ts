import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { minArchiveAgeDays } from "@florin/server/admin/retention/archive-payments.ts";
import { primaryPoolSize } from "@florin/server/app/database-connections.ts";
import type { Measurement } from "./measurement.ts";

/**
 * `npm run scaling -- FILE` computes from the figures of `npm run bench -- --json FILE` how many charges a cluster can
 * process. `--write` replaces the committed figures and the table in docs/operating/scaling.md.
 */
export type Figures = {
  readonly cores: number;
  readonly scenarios: Readonly<Record<string, Measurement>>;
  readonly megabytes: Readonly<Record<string, number | null>>;
};

export const figuresFile = new URL("scaling-figures.json", import.meta.url);
export const scalingPage = new URL("../docs/operating/scaling.md", import.meta.url);

/**
 * Two scenarios: a charge with all its effects, and the same charge without a webhook. The difference is the cost of
 * the webhook.
 */
const withWebhook = "whole system, 256 connections";
const withoutWebhook = "charges alone, 256 connections";

/** The total number of cores of the service and the primary Postgres. */
const coreCounts = [2, 8, 32, 64];

/** The assumptions of the calculation. docs/operating/scaling.md explains each of them. */
const assumed = {
  /** The share of the cores that the peak may use. */
  usableCores: 0.7,
  /** The ratio of the peak to the mean of a year. */
  peakToMean: 5,
  /** The CPU time per charge with several processes, relative to one process. */
  severalProcesses: 1.15,
  /** The write-ahead log that the primary's disk writes, in bytes per second. */
  walDisk: 250e6,
  /** The write-ahead log that the network sends to two standbys, in bytes per second: half of 10 Gbit/s. */
  network: 10e9 / 8 / 2 / 2,
  /** Connections that one Postgres serves well without a pooler. */
  connections: 1_000,
  /** The largest database whose backup and restore end within hours. */
  database: 20e12,
  /** The shortest time after which the service can archive payments. */
  archiveAfterDays: minArchiveAgeDays,
  /** The maximum number of connections of each server process (`server/src/app/database-connections.ts`). */
  connectionsPerProcess: 34,
  secondsPerDay: 24 * 3600,
};

export type Cost = {
  readonly serviceMicros: number;
  readonly postgresMicros: number;
  readonly walBytes: number;
  readonly tableBytes: number;
};

/** Returns the measured cost of a charge, and the additional cost of its webhook. */
function costsOf(figures: Figures): { readonly charge: Cost; readonly webhook: Cost } {
  const [charge, both] = [withoutWebhook, withWebhook].map((name): Cost => {
    const { cpu, storage } = figures.scenarios[name] ?? {};
    if (!cpu || !storage) {
      throw new Error(
        `The figures contain no CPU time or no storage of '${name}'. Measure it with \`npm run bench\` on Linux.`,
      );
    }
    return {
      serviceMicros: cpu.service,
      postgresMicros: cpu.postgres,
      walBytes: storage.walBytes,
      tableBytes: storage.tableBytes,
    };
  }) as [Cost, Cost];
  const webhook: Cost = {
    serviceMicros: both.serviceMicros - charge.serviceMicros,
    postgresMicros: both.postgresMicros - charge.postgresMicros,
    walBytes: both.walBytes - charge.walBytes,
    tableBytes: both.tableBytes - charge.tableBytes,
  };
  return { charge, webhook };
}

export type Capacity = {
  readonly cores: number;
  /** Charges per second at the peak, each with one webhook. */
  readonly perSecond: number;
  readonly perYear: number;
  readonly processes: number;
  readonly connections: number;
  readonly megabytes: number;
  readonly walBytesPerSecond: number;
  readonly tableBytesPerDay: number;
  /** The days until the database has the assumed maximum size. */
  readonly daysUntilFull: number;
  /** The name of the limit that is reached first when the load grows to the peak. */
  readonly firstLimit: string;
};

/**
 * Returns the capacity of a cluster. With more than one process, uses the CPU time per charge that was measured with
 * several processes.
 */
export function capacityOf(figures: Figures, cores: number): Capacity {
  const { charge, webhook } = costsOf(figures);
  const wal = charge.walBytes + webhook.walBytes;
  const table = charge.tableBytes + webhook.tableBytes;
  const service = charge.serviceMicros + webhook.serviceMicros;
  const postgres = charge.postgresMicros + webhook.postgresMicros;
  const usableMicros = cores * assumed.usableCores * 1e6;
  const alone = usableMicros / (service + postgres);
  // Node runs JavaScript on one thread, so one process uses at most one core.
  const isOneProcess = alone * service <= 1e6;
  const factor = isOneProcess ? 1 : assumed.severalProcesses;
  const perCharge = (service + postgres) * factor;
  const perProcess = 1e6 / (service * factor);
  const limits = [
    { limit: "CPU", perSecond: usableMicros / perCharge },
    { limit: "network to the standbys", perSecond: assumed.network / wal },
    { limit: "writes to the write-ahead log", perSecond: assumed.walDisk / wal },
    {
      limit: "connections",
      perSecond: (assumed.connections / assumed.connectionsPerProcess) * perProcess,
    },
  ];
  const first = limits.reduce((lowest, one) => (one.perSecond < lowest.perSecond ? one : lowest));
  const { perSecond } = first;
  const processes = Math.ceil(perSecond / perProcess);
  const perDay = (perSecond / assumed.peakToMean) * assumed.secondsPerDay;
  const { server } = figures.megabytes;
  return {
    cores,
    perSecond,
    perYear: perDay * 365,
    processes,
    connections: processes * assumed.connectionsPerProcess + (processes > 1 ? primaryPoolSize : 0),
    megabytes: processes * (server ?? Number.NaN),
    walBytesPerSecond: perSecond * wal,
    tableBytesPerDay: perDay * table,
    daysUntilFull: assumed.database / (perDay * table),
    firstLimit: first.limit,
  };
}

/** Returns the tables of the page in Markdown. */
function scalingTables(figures: Figures): string {
  const { charge, webhook } = costsOf(figures);
  const costRow = (name: string, of: (cost: Cost) => number, unit: string) =>
    `| ${name} | ${whole(of(charge))} ${unit} | ${whole(of(webhook))} ${unit} |`;
  const costs = [
    "| Cost | Charge | Its webhook, in addition |",
    "| --- | --- | --- |",
    costRow("CPU time of the service", (cost) => cost.serviceMicros, "µs"),
    costRow("CPU time of Postgres", (cost) => cost.postgresMicros, "µs"),
    costRow("Write-ahead log", (cost) => cost.walBytes, "bytes"),
    costRow("Tables and indexes", (cost) => cost.tableBytes, "bytes"),
  ];
  const capacities = coreCounts.map((cores) => {
    const one = capacityOf(figures, cores);
    return `| ${[
      cores,
      rounded(one.perSecond),
      `${rounded(one.perYear / 1e6)} million`,
      one.processes,
      one.connections,
      `${(one.megabytes / 1000).toFixed(1)} GB`,
      `${whole(one.walBytesPerSecond / 1e6)} MB/s`,
      `${whole(one.tableBytesPerDay / 1e9)} GB`,
      whole(one.daysUntilFull),
      one.firstLimit,
    ].join(" | ")} |`;
  });
  const head =
    "| Cores | Charges per second, peak | Charges per year | Processes | Connections | Memory of the service | Log | Tables, a day | Days until 20 TB | First limit |";
  const perDay =
    assumed.database / (charge.tableBytes + webhook.tableBytes) / assumed.archiveAfterDays;
  const sustained =
    `If payments are archived after ${assumed.archiveAfterDays} days, the database stays at 20 TB with a mean of ` +
    `${rounded(perDay / assumed.secondsPerDay)} charges per second (${rounded((perDay * 365) / 1e6)} million a year), ` +
    "for any number of cores.";
  return [...costs, "", head, `|${" --- |".repeat(10)}`, ...capacities, "", sustained].join("\n");
}

/** Returns the page with the tables replaced by tables of these figures. */
export function withTables(page: string, figures: Figures): string {
  const [start, end] = ["<!-- tables: npm run scaling -->\n", "\n<!-- end of tables -->"];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) {
    throw new Error(
      "docs/operating/scaling.md must contain the comments `<!-- tables: npm run scaling -->` and `<!-- end of tables -->`.",
    );
  }
  return `${page.slice(0, from + start.length)}${scalingTables(figures)}${page.slice(to)}`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Rounds to two significant digits, because the assumptions are not more precise than that. */
function rounded(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString("en-US");
}

export function readFigures(file: URL | string): Figures {
  return JSON.parse(readFileSync(file, "utf8"));
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: { type: "boolean", default: false } },
  });
  const figures = readFigures(positionals[0] ?? figuresFile);
  console.log(scalingTables(figures));
  if (values.write) {
    writeFileSync(figuresFile, `${JSON.stringify(figures, null, 2)}\n`);
    writeFileSync(scalingPage, withTables(readFileSync(scalingPage, "utf8"), figures));
  }
}
