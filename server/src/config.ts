import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { nearestName } from "@florin/contract/nearest-name.ts";
import type { AcquirerOrigins } from "./acquiring/connector.ts";
import {
  isLiveProcessor,
  type LiveProcessorName,
  liveProcessorNames,
} from "./acquiring/processor.ts";
import { minArchiveAgeDays } from "./admin/retention/archive-payments.ts";
import { isLoopback } from "./core/loopback.ts";
import { minLockOutMinutes } from "./identity/people/attempts.ts";
import { allowUnverifiedTls, requireVerifiedTls } from "./platform/database/connection-options.ts";
import { hostsOf, targetSession } from "./platform/database/database-url.ts";
import { privateNetworks } from "./webhooks/delivery/ip-address-rules.ts";

/**
 * Every setting, with its meaning and default. Only this file reads settings from the environment. A wrong value is
 * rejected at startup with a message that states what was expected.
 */
export type Config = {
  /** `HOST`: the address to listen on. */
  readonly host: string;
  /** `PORT`: the port to listen on. 0: any free port. Not set: 4242, or the next free port. */
  readonly port: number | null;
  /** `FLORIN_PROCESSES`: the number of [server processes](#more-than-one-process) behind `PORT`, from 1 to 64, or `auto` for one per CPU core. */
  readonly processes: number;
  /** `INTERNAL_PORT`: the port on 127.0.0.1 through which the simulated card network reaches the server. 0, or not set: any free port. */
  readonly internalPort: number | null;
  /** `FLORIN_PUBLIC_URL`: the URL at which merchants and browsers reach the server, without a path. Not set: the address that the server listens on. */
  readonly publicUrl: string | null;
  /** `FLORIN_WALLETS_URL`: the URL of a second host name of the server, without a path, such as `https://wallets.example.com`. Only the page with Google Pay's button is served there, so that Google's script never runs on the origin of the card form ([the host name for Google Pay](wallets-url.md)). Not set: live mode does not offer Google Pay. */
  readonly walletsUrl: string | null;
  /** `FLORIN_TRUSTED_PROXIES`: the networks of the proxies whose `X-Forwarded-For` header is trusted, such as `10.0.0.0/8,fd00::/8`. `on` trusts loopback and all private networks. With `off`, all browsers behind a proxy count as one address. */
  readonly trustedProxies: readonly string[];
  /** `FLORIN_DATA`: the [data directory](#the-data-directory), which contains the built-in database, the local keys and `ready.json`. */
  readonly dataDirectory: string;
  /** `FLORIN_KEYS`: the directory of the keys that encrypt cards and hash API keys. All servers of one database must have the same keys. Not set: the directory `keys` in `FLORIN_DATA`. */
  readonly keysDirectory: string;
  /** `DATABASE_URL`: the URL of a Postgres database, version 17 or newer. It can name [several hosts](high-availability.md#connections), of which Florin uses the primary. `connect_timeout` in the URL is the time limit for connecting, in seconds, 3 by default. Not set: the built-in database. */
  readonly databaseUrl: string | null;
  /** `FLORIN_REPLICA_URL`: the URL of a standby of the database, which serves lists, downloads and metrics as long as it has all of the primary's data ([read replicas](high-availability.md#read-replicas)). `target_session_attrs` in the URL, if present, must be `standby`, `prefer-standby`, `read-only` or `any`. Not set: the primary serves every request. */
  readonly replicaUrl: string | null;
  /** `FLORIN_DATABASE_TLS`: `on` requires TLS with a verified certificate for a Postgres server on another host, like `sslmode=verify-full`. With `off`, Florin uses the `sslmode` in `DATABASE_URL` and `FLORIN_REPLICA_URL`, and connects without TLS if there is none. */
  readonly databaseTls: boolean;
  /** `FLORIN_DATABASE_POOL`: the maximum number of database connections for single reads and transactions, from 1 to 500. Batched reads and writes use further connections. */
  readonly databasePool: number;
  /** `FLORIN_RATE_LIMIT`: the maximum number of API requests per second, or `off`. The limit applies to all keys of an account and mode together, and to each signed-in person. `off` also turns off the limits by network and the limits on cards. A limit that an operator has set for an account still applies. */
  readonly rateLimit: number | null;
  /** `FLORIN_SIGN_IN_LOCKOUT_MINUTES`: the number of minutes for which sign-in is locked after ten wrong passwords or codes, from 30 (the minimum of PCI DSS 8.3.4) to 1440. A password reset by email unlocks sign-in. */
  readonly lockOutMinutes: number;
  /** `FLORIN_FOUR_EYES`: `on` requires a second operator to confirm these changes within 24 hours: approving an application, changing an account's terms, adding an operator, resetting two-step verification, activating a connection to an acquirer, replacing the key that signs the notifications of a connection that has been activated, and assigning an account to a connection or changing the assignment. There must be at least two operators. You can add an operator with `florin operator add` on the server. */
  readonly fourEyes: boolean;
  /** `FLORIN_DEMO`: `on` creates two demo merchants and runs the demo shop. Not set: `off` if `NODE_ENV` is `production`, `HOST` is not loopback or `FLORIN_PUBLIC_URL` is not local, and otherwise `on`. */
  readonly demo: boolean;
  /** `SHOP_HOST`: the address that the demo shop listens on. */
  readonly shopHost: string;
  /** `SHOP_PORT`: the port that the demo shop listens on. 0: any free port. Not set: 4243, or the next free port. */
  readonly shopPort: number | null;
  /** `FLORIN_PRIVATE_WEBHOOKS`: the networks to which test mode may send webhooks in addition to the public internet, such as `127.0.0.0/8,fd00::/8`. `on` allows loopback and all private networks, and `off` allows none. Not set: the value of `FLORIN_DEMO`. Live mode sends webhooks to the public internet only. */
  readonly privateWebhooks: readonly string[];
  /** `FLORIN_SMTP_URL`: the mail server, such as `smtp://user:password@mail.example.com:587`, or `smtps://` for implicit TLS. Not set: no email is sent. If the demo is on, the dashboard then shows the emails. If the demo is off, sign-ups, invitations and password resets are not possible. */
  readonly smtpUrl: string | null;
  /** `FLORIN_SMTP_TLS`: `on` requires TLS with a verified certificate for a mail server on another host. With an `smtp://` URL, the server must support STARTTLS. With `off`, Florin uses TLS only if the mail server offers it, and does not verify the certificate. */
  readonly smtpTls: boolean;
  /** `FLORIN_MAIL_FROM`: the sender of emails. Not set: `Florin <no-reply@pay.example.com>`, with the host name of `FLORIN_PUBLIC_URL` in place of `pay.example.com`. */
  readonly mailFrom: string | null;
  /** `FLORIN_ACQUIRERS`: the environment of the acquirers that live mode uses. `live` charges real cards. With `sandbox`, live mode uses the acquirers' sandboxes and moves no real money, so that you can try out a connection. Only connections to the chosen environment can be activated. */
  readonly acquirers: "live" | "sandbox";
  /** `FLORIN_ACQUIRER_URLS`: the servers that Florin uses instead of acquirers, such as `adyen=http://127.0.0.1:4010,stripe=http://127.0.0.1:4020,checkout_com=http://127.0.0.1:4030` for local fakes. Separate several with commas. The servers must be on this machine, and `FLORIN_ACQUIRERS` must be `sandbox`. */
  readonly acquirerOrigins: AcquirerOrigins;
  /** `FLORIN_ACQUIRER_TIMEOUT_MS`: the number of milliseconds, from 100 to 20000, after which Florin stops waiting for an acquirer's response and treats the outcome as unknown. A live acquirer must accept the connection within the first 3 seconds. If a live acquirer responds to an authorization later, but within 60 seconds, Florin still applies the response. */
  readonly acquirerTimeoutMs: number;
  /** `FLORIN_CLOSED_ACCOUNT_CARD_DAYS`: the number of days, from 1 to 3650, from the closure of an account until its saved cards are erased. */
  readonly closedAccountCardDays: number;
  /** `FLORIN_ARCHIVE_AFTER_DAYS`: the age in days, from 550 to 36500, from which payments are moved from the database to [archives](retention.md#archives). `off` turns archiving off. If several servers use one database, set it for only one of them, because each server writes to its own `FLORIN_ARCHIVE`. */
  readonly archiveAfterDays: number | null;
  /** `FLORIN_ARCHIVE`: the directory of the archives. Back it up like the database. Not set: the directory `archive` in `FLORIN_DATA`. */
  readonly archiveDirectory: string;
  /** `FLORIN_WAL_ARCHIVE`: the directory to which the built-in database copies its write-ahead log, for [point-in-time recovery](backup-and-restore.md). Put it on a different disk from `FLORIN_DATA`. Not set: the log is not archived. */
  readonly walArchive: string | null;
  /** `FLORIN_WAL_ARCHIVE_DAYS`: the number of days, from 1 to 3650, for which the archived log is kept. `florin backup` deletes log files that are older. */
  readonly walArchiveDays: number;
  /** `FLORIN_CARD_SEARCH_HOUR`: the hour (UTC, 0 to 23) at which the daily search of all tables for card data outside the vault begins. `off` turns the search off. */
  readonly cardSearchHour: number | null;
  /** `FLORIN_WORKERS`: with `on`, this process serves requests, delivers webhooks and runs background jobs. With `off`, it only serves requests. */
  readonly workers: boolean;
  /** `METRICS_HOST`: the address at which Prometheus reads `/metrics`. No key is required, so make sure that only your own machines can reach the address. */
  readonly metricsHost: string;
  /** `METRICS_PORT`: the port of `/metrics`. 0: any free port. Not set: Florin collects no metrics. */
  readonly metricsPort: number | null;
  /** `FLORIN_OTLP_URL`: the URL of an OpenTelemetry collector that receives [traces](tracing.md) over OTLP/HTTP, such as `http://127.0.0.1:4318`. Florin appends `/v1/traces` to the URL. Not set: Florin records no traces. */
  readonly otlpUrl: string | null;
  /** `FLORIN_TRACE_RATIO`: the share of requests that are traced, from 0 to 1. */
  readonly traceRatio: number;
  /** `FLORIN_LOG`: the lowest level of messages that Florin logs. */
  readonly logLevel: LogLevel;
  /** `NODE_ENV`: `production` is for a service that others depend on. Florin then installs and builds nothing automatically, turns the demo off by default, and rejects more unsafe settings. */
  readonly environment: "production" | "development";
  /** The environment variables whose names begin with `FLORIN_`, but that no program of Florin reads. */
  readonly unknownVariables: readonly string[];
};

const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A setting with an unusable value. Its message is shown to the operator. */
export class WrongSetting extends Error {
  override name = "WrongSetting";
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment = process.env): Config {
  const settings: string[] = [];
  const text = (name: string): string | null => {
    settings.push(name);
    return environment[name]?.trim() || null;
  };
  const dataDirectory = resolve(text("FLORIN_DATA") ?? ".florin");
  const publicUrl = text("FLORIN_PUBLIC_URL");
  const walletsUrl = text("FLORIN_WALLETS_URL");
  const databaseUrl = text("DATABASE_URL");
  const replicaUrl = text("FLORIN_REPLICA_URL");
  const walArchive = text("FLORIN_WAL_ARCHIVE");
  const smtpUrl = text("FLORIN_SMTP_URL");
  const mailFrom = text("FLORIN_MAIL_FROM");
  const otlpUrl = text("FLORIN_OTLP_URL");
  const host = text("HOST") ?? "127.0.0.1";
  const environmentName = environmentOf("NODE_ENV", text("NODE_ENV"));
  const origin = publicUrl === null ? null : webOrigin("FLORIN_PUBLIC_URL", publicUrl);
  const isLocal = environmentName !== "production" && isOnlyLocal({ host, publicUrl: origin });
  const demo = onOff("FLORIN_DEMO", text("FLORIN_DEMO") ?? (isLocal ? "on" : "off"));
  const databaseTls = onOff("FLORIN_DATABASE_TLS", text("FLORIN_DATABASE_TLS") ?? "on");
  const config: Omit<Config, "unknownVariables"> = {
    host,
    port: port("PORT", text("PORT")),
    processes: processes("FLORIN_PROCESSES", text("FLORIN_PROCESSES") ?? "1"),
    internalPort: port("INTERNAL_PORT", text("INTERNAL_PORT")),
    publicUrl: origin,
    walletsUrl:
      walletsUrl === null
        ? null
        : secondOrigin("FLORIN_WALLETS_URL", walletsUrl, {
            host,
            publicUrl: origin,
            requiresTls: environmentName === "production",
          }),
    trustedProxies: networks("FLORIN_TRUSTED_PROXIES", text("FLORIN_TRUSTED_PROXIES") ?? "off"),
    dataDirectory,
    keysDirectory: resolve(text("FLORIN_KEYS") ?? `${dataDirectory}/keys`),
    databaseUrl:
      databaseUrl === null ? null : postgresUrl("DATABASE_URL", databaseUrl, { tls: databaseTls }),
    replicaUrl:
      replicaUrl === null
        ? null
        : postgresUrl("FLORIN_REPLICA_URL", replicaUrl, { tls: databaseTls, isReplica: true }),
    databaseTls,
    databasePool: count("FLORIN_DATABASE_POOL", text("FLORIN_DATABASE_POOL") ?? "16", 1, 500),
    rateLimit: limit("FLORIN_RATE_LIMIT", text("FLORIN_RATE_LIMIT") ?? "100"),
    lockOutMinutes: count(
      "FLORIN_SIGN_IN_LOCKOUT_MINUTES",
      text("FLORIN_SIGN_IN_LOCKOUT_MINUTES") ?? String(minLockOutMinutes),
      minLockOutMinutes,
      1_440,
    ),
    fourEyes: onOff("FLORIN_FOUR_EYES", text("FLORIN_FOUR_EYES") ?? "off"),
    demo,
    shopHost: text("SHOP_HOST") ?? "127.0.0.1",
    shopPort: port("SHOP_PORT", text("SHOP_PORT")),
    privateWebhooks: networks(
      "FLORIN_PRIVATE_WEBHOOKS",
      text("FLORIN_PRIVATE_WEBHOOKS") ?? (demo ? "on" : "off"),
    ),
    smtpUrl: smtpUrl === null ? null : mailServer("FLORIN_SMTP_URL", smtpUrl),
    smtpTls: onOff("FLORIN_SMTP_TLS", text("FLORIN_SMTP_TLS") ?? "on"),
    mailFrom: mailFrom === null ? null : sender("FLORIN_MAIL_FROM", mailFrom),
    acquirerOrigins: acquirerUrls(
      "FLORIN_ACQUIRER_URLS",
      text("FLORIN_ACQUIRER_URLS"),
      text("FLORIN_ACQUIRERS") === "sandbox",
    ),
    acquirers: oneOf("FLORIN_ACQUIRERS", text("FLORIN_ACQUIRERS") ?? "live", [
      "live",
      "sandbox",
    ] as const),
    acquirerTimeoutMs: count(
      "FLORIN_ACQUIRER_TIMEOUT_MS",
      text("FLORIN_ACQUIRER_TIMEOUT_MS") ?? "20000",
      100,
      20_000,
    ),
    closedAccountCardDays: count(
      "FLORIN_CLOSED_ACCOUNT_CARD_DAYS",
      text("FLORIN_CLOSED_ACCOUNT_CARD_DAYS") ?? "90",
      1,
      3_650,
    ),
    archiveAfterDays: daysOrOff(
      "FLORIN_ARCHIVE_AFTER_DAYS",
      text("FLORIN_ARCHIVE_AFTER_DAYS") ?? "off",
      minArchiveAgeDays,
      36_500,
    ),
    archiveDirectory: resolve(text("FLORIN_ARCHIVE") ?? `${dataDirectory}/archive`),
    walArchive: walArchive === null ? null : walArchiveDirectory(walArchive, databaseUrl),
    walArchiveDays: count(
      "FLORIN_WAL_ARCHIVE_DAYS",
      text("FLORIN_WAL_ARCHIVE_DAYS") ?? "14",
      1,
      3_650,
    ),
    cardSearchHour: hourOfDay("FLORIN_CARD_SEARCH_HOUR", text("FLORIN_CARD_SEARCH_HOUR") ?? "3"),
    workers: onOff("FLORIN_WORKERS", text("FLORIN_WORKERS") ?? "on"),
    metricsHost: text("METRICS_HOST") ?? "127.0.0.1",
    metricsPort: port("METRICS_PORT", text("METRICS_PORT")),
    otlpUrl: otlpUrl === null ? null : collector("FLORIN_OTLP_URL", otlpUrl),
    traceRatio: ratio("FLORIN_TRACE_RATIO", text("FLORIN_TRACE_RATIO") ?? "0.01"),
    logLevel: oneOf("FLORIN_LOG", text("FLORIN_LOG") ?? "info", logLevels),
    environment: environmentName,
  };
  return { ...config, unknownVariables: unknownVariables(environment, settings) };
}

/** Reports whether only this machine can reach the server, judging by its listening address and its public URL. */
export function isOnlyLocal({ host, publicUrl }: Pick<Config, "host" | "publicUrl">): boolean {
  return isLoopback(host) && (publicUrl === null || isLoopback(new URL(publicUrl).hostname));
}

/**
 * Returns the environment that `NODE_ENV` names. Values that other programs use, such as `test` and `staging`, count as
 * `development`. A value that was probably meant to be `production` is rejected, because a service that others depend
 * on would otherwise run with the settings of a developer's machine.
 */
function environmentOf(name: string, text: string | null): Config["environment"] {
  if (text === "production") return "production";
  const word = text?.toLowerCase() ?? "";
  if (!/^prod(uction)?$/.test(word) && !nearestName(word, ["production"])) return "development";
  throw new WrongSetting(
    `${name} must be 'production' for a service that others depend on. Got '${text}'.`,
  );
}

const florinPrefix = "FLORIN_";

/** Variables that are not settings of the service. Merchants' programs, the examples and the tests read them. */
const otherVariables =
  /^FLORIN_(URL|SECRET_KEY|WEBHOOK_SECRET|CHROMIUM|SCREENSHOTS|MUTANT|TEST_\w+)$/;

/**
 * Returns the variables whose names begin with `FLORIN_`, but that are not settings.
 *
 * @throws WrongSetting if a name resembles that of a setting. Otherwise a typo would select the default, and a demo
 *   that should be off would run.
 */
function unknownVariables(environment: Environment, settings: readonly string[]): string[] {
  const words = settings.flatMap((name) =>
    name.startsWith(florinPrefix) ? name.slice(florinPrefix.length) : [],
  );
  const names = Object.keys(environment).filter(
    (name) =>
      name.startsWith(florinPrefix) &&
      !settings.includes(name) &&
      !otherVariables.test(name) &&
      !isServiceVariable(name, environment[name]),
  );
  for (const name of names) {
    const word = name.slice(florinPrefix.length);
    // `nearestName` alone does not find FLORIN_TRUSTED_PROXIES for FLORIN_TRUSTED_PROXY, because they differ by more
    // letters than a typo.
    const near = nearestName(word, words) ?? nearestName(word.replace(/Y$/, "IES"), words);
    const meant = settings.includes(word) ? word : near && `${florinPrefix}${near}`;
    if (meant) throw new WrongSetting(`The setting ${name} does not exist. Did you mean ${meant}?`);
  }
  return names.sort();
}

/**
 * Returns whether Kubernetes sets the variable for a service whose name begins with `florin`. It sets variables such as
 * `FLORIN_SERVICE_HOST` and `FLORIN_PORT_4242_TCP_ADDR`, and `FLORIN_PORT` to `tcp://10.0.0.1:4242`.
 */
function isServiceVariable(name: string, value: string | undefined): boolean {
  return (
    /_SERVICE_(HOST|PORT(_\w+)?)$/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value ?? ""))
  );
}

function walArchiveDirectory(directory: string, databaseUrl: string | null): string {
  if (databaseUrl === null) return resolve(directory);
  throw new WrongSetting(
    "FLORIN_WAL_ARCHIVE is for the built-in database, but DATABASE_URL is set. Remove FLORIN_WAL_ARCHIVE, and archive the log of the Postgres server in DATABASE_URL with its own tools, such as pgBackRest.",
  );
}

function port(name: string, text: string | null): number | null {
  return text === null ? null : count(name, text, 0, 65_535);
}

const maxProcesses = 64;

function processes(name: string, text: string): number {
  if (text === "auto") return Math.min(availableParallelism(), maxProcesses);
  if (/^[0-9]+$/.test(text) && Number(text) >= 1 && Number(text) <= maxProcesses) {
    return Number(text);
  }
  throw new WrongSetting(
    `${name} must be 'auto' or an integer from 1 to ${maxProcesses}. Got '${text}'.`,
  );
}

function count(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= min && number <= max) return number;
  throw new WrongSetting(`${name} must be an integer from ${min} to ${max}. Got '${text}'.`);
}

function limit(name: string, text: string): number | null {
  if (text === "off") return null;
  if (/^[0-9]+$/.test(text) && Number(text) > 0) return Number(text);
  throw new WrongSetting(
    `${name} must be 'off' or an integer of at least 1, the number of requests per second. Got '${text}'.`,
  );
}

function hourOfDay(name: string, text: string): number | null {
  if (text === "off") return null;
  if (/^[0-9]{1,2}$/.test(text) && Number(text) < 24) return Number(text);
  throw new WrongSetting(`${name} must be 'off' or an hour from 0 to 23. Got '${text}'.`);
}

function daysOrOff(name: string, text: string, min: number, max: number): number | null {
  if (text === "off") return null;
  const days = Number(text);
  if (/^[0-9]+$/.test(text) && days >= min && days <= max) return days;
  throw new WrongSetting(
    `${name} must be 'off' or a number of days from ${min} to ${max}. Got '${text}'.`,
  );
}

function onOff(name: string, text: string): boolean {
  return oneOf(name, text, ["on", "off"] as const) === "on";
}

/** Parses a list of networks in CIDR notation. */
function networks(name: string, text: string): readonly string[] {
  if (text === "on") return privateNetworks;
  if (text === "off") return [];
  const listed = text.split(",").map((network) => network.trim());
  if (listed.every(isNetwork)) return listed;
  throw new WrongSetting(
    `${name} must be 'on', 'off' or a list of networks such as '127.0.0.0/8,fd00::/8'. Got '${text}'.`,
  );
}

function isNetwork(text: string): boolean {
  const [address = "", prefix = "", ...more] = text.split("/");
  const maxPrefixLength = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= maxPrefixLength;
}

/**
 * Returns the servers that replace acquirers. Rejects servers on other hosts, so that no real card is ever sent to such
 * a server.
 */
function acquirerUrls(name: string, text: string | null, isSandbox: boolean): AcquirerOrigins {
  if (text === null) return {};
  if (!isSandbox) {
    throw new WrongSetting(
      `${name} requires FLORIN_ACQUIRERS=sandbox. Set both, or remove ${name}.`,
    );
  }
  const origins: Partial<Record<LiveProcessorName, string>> = {};
  for (const pair of text.split(",")) {
    const [acquirer = "", url = "", ...more] = pair.trim().split("=");
    const parsed = URL.canParse(url) ? new URL(url) : null;
    const isLocal = parsed?.protocol === "http:" && isLoopback(parsed.hostname);
    const isOrigin = parsed && isLocal && parsed.pathname === "/" && more.length === 0;
    if (!isLiveProcessor(acquirer) || !isOrigin || origins[acquirer] !== undefined) {
      throw new WrongSetting(
        `${name} must be names of acquirers (${liveProcessorNames.join(", ")}), each at most once, with http origins on this machine, such as 'adyen=http://127.0.0.1:4010'. Separate several with commas. Got '${text}'.`,
      );
    }
    origins[acquirer] = parsed.origin;
  }
  return origins;
}

function oneOf<const Word extends string>(
  name: string,
  text: string,
  words: readonly Word[],
): Word {
  const word = words.find((candidate) => candidate === text);
  if (word) return word;
  throw new WrongSetting(`${name} must be one of ${words.join(", ")}. Got '${text}'.`);
}

/** EMV 3DS limits `notificationURL` to 256 characters. The path of our URL has about 140. */
const maxOriginLength = 110;

function webOrigin(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url &&
    /^https?:$/.test(url.protocol) &&
    url.origin.length <= maxOriginLength &&
    url.pathname === "/" &&
    !url.search &&
    !url.username
  ) {
    return url.origin;
  }
  throw new WrongSetting(
    `${name} must be an origin of at most ${maxOriginLength} characters, such as 'https://pay.example.com'. Got '${text}'.`,
  );
}

/**
 * Returns the origin of the page with Google Pay's button. Rejects the service's own host name with any port,
 * because browsers send cookies to every port of a host, and a proxy that drops the port would mix the two origins.
 */
function secondOrigin(
  name: string,
  text: string,
  { host, publicUrl, requiresTls }: Pick<Config, "host" | "publicUrl"> & { requiresTls: boolean },
): string {
  const origin = webOrigin(name, text);
  const { protocol, hostname } = new URL(origin);
  const isLocal = isLoopback(hostname);
  if (protocol !== "https:" && (requiresTls || !isLocal)) {
    throw new WrongSetting(
      `${name} must be an https URL, because Google Pay requires TLS. Got '${text}'.`,
    );
  }
  if (publicUrl === null && !isLocal) {
    throw new WrongSetting(`${name} requires FLORIN_PUBLIC_URL. Set both, or remove ${name}.`);
  }
  const ofService = publicUrl === null ? host : new URL(publicUrl).hostname;
  if (hostname.replace(/\.$/, "") === ofService.replace(/\.$/, "")) {
    throw new WrongSetting(
      `${name} must have a different host name from the service, such as 'https://wallets.example.com'. Got '${text}'.`,
    );
  }
  return origin;
}

/** The values of `target_session_attrs` for the primary. Florin itself searches for the host that accepts writes. */
const primaryTargets = ["read-write", "primary"];

/** The values of `target_session_attrs` that permit a standby. Florin sends no reads to a server that is not a standby. */
const standbyTargets = ["standby", "prefer-standby", "read-only", "any"];

function postgresUrl(
  name: string,
  text: string,
  { tls, isReplica = false }: { tls: boolean; isReplica?: boolean },
): string {
  // The message does not repeat the value, because it may contain a password.
  if (!isPostgresUrl(text)) {
    throw new WrongSetting(
      `${name} must be a URL such as 'postgres://user:password@host:5432/florin'.`,
    );
  }
  if (isReplica && hostsOf(text).length > 1) {
    throw new WrongSetting(
      `${name} must have one host. To use several standbys, set it to a load balancer.`,
    );
  }
  const target = targetSession(text);
  const targets = isReplica ? standbyTargets : primaryTargets;
  if (target !== null && !targets.includes(target)) {
    throw new WrongSetting(
      `target_session_attrs in ${name} must be one of ${targets.join(", ")}. Got '${target}'. Remove it, or correct it.`,
    );
  }
  const resolved = tls ? requireVerifiedTls(text) : allowUnverifiedTls(text);
  if (resolved !== null) return resolved;
  throw new WrongSetting(
    `${name} must have sslmode=verify-full, or no sslmode, for Postgres on another host. ` +
      "On a trusted private network, set FLORIN_DATABASE_TLS=off.",
  );
}

function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text)) return false;
  try {
    return hostsOf(text).every((url) => URL.canParse(url));
  } catch {
    return false;
  }
}

function mailServer(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  // A query would pass options to the mail library, including ones that turn TLS off.
  if (url && /^smtps?:$/.test(url.protocol) && url.hostname && !url.search && !url.hash) {
    return text;
  }
  // The message does not repeat the value, because it may contain a password.
  throw new WrongSetting(
    `${name} must be a URL without a query, such as 'smtp://user:password@mail.example.com:587'.`,
  );
}

function collector(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isBase = url && !/\/v1\/traces\/?$/.test(url.pathname);
  if (isBase && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return text;
  // The message does not repeat the value, because it may contain a password.
  throw new WrongSetting(
    `${name} must be the http or https URL of a collector, without a query and without '/v1/traces', such as 'http://127.0.0.1:4318'.`,
  );
}

function ratio(name: string, text: string): number {
  if (/^(0|1|[01]?\.[0-9]+)$/.test(text) && Number(text) <= 1) return Number(text);
  throw new WrongSetting(`${name} must be a number from 0 to 1, such as '0.01'. Got '${text}'.`);
}

/** Parses an email address, alone or with a name before it. */
function sender(name: string, text: string): string {
  const [, address] = /^(?:[^<>\r\n]+<)?([^\s<>@]+@[^\s<>@]+)>?$/.exec(text) ?? [];
  if (address && text.includes("<") === text.endsWith(">")) return text;
  throw new WrongSetting(
    `${name} must be an email address, such as 'Florin <no-reply@example.com>'. Got '${text}'.`,
  );
}
