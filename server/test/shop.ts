import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccountStatus } from "@florin/contract/account.ts";
import { type OpenApiDocument, openApi } from "@florin/contract/openapi.ts";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import {
  createSimulatedNetwork,
  type SimulatedNetwork,
  type SimulationTiming,
} from "@florin/simulator/simulated-network.ts";
import type { Simulator } from "@florin/simulator/simulator.ts";
import { pino } from "pino";
import { createSharedState } from "../src/app/shared-state.ts";
import { type App, type AppOptions, startApp } from "../src/app.ts";
import { type AccountId, type ApiKeyId, newId, uuidOf } from "../src/core/ids.ts";
import { insertAccount } from "../src/identity/accounts/account.sql.ts";
import {
  type AccountLimits,
  type AmountsByCurrency,
  newAccount,
} from "../src/identity/accounts/account.ts";
import { issueApiKey } from "../src/identity/api-keys/issue-api-key.ts";
import type { SecretKey } from "../src/identity/api-keys/key-text.ts";
import type { Meters } from "../src/insights/monitoring/process-metrics.ts";
import type { Tx } from "../src/platform/database/sql.ts";
import { createChannelPair } from "../src/platform/processes/channel.ts";
import { alone, type Siblings } from "../src/platform/processes/siblings.ts";
import type { KeyProvider } from "../src/vault/key-provider.ts";
import { createLocalKeyProvider } from "../src/vault/local-key-provider.ts";
import { privateNetworks } from "../src/webhooks/delivery/ip-address-rules.ts";
import { createClient, type Reply } from "./client.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { type ResponseCheck, responseCheckOf } from "./response-check.ts";
import { startRoundRobin } from "./round-robin.ts";
import { slowed } from "./slowness.ts";
import { createTestClock, type TestClock } from "./test-clock.ts";
import { createTestTimers, type TestTimers } from "./test-timers.ts";
import { noteClose, noteUse } from "./until.ts";

export { until } from "./until.ts";

/**
 * The complete service with a separate database. Tests call it over HTTP, as a merchant does. The acquirer is the
 * simulator of test mode, with shorter delays.
 */
export type Shop = {
  readonly url: string;
  /** The URL of each process. */
  readonly urls: readonly string[];
  readonly app: App;
  /** The acquirer of test mode. */
  readonly simulator: Simulator;
  /** The OpenAPI document of every endpoint, including those for people only. */
  readonly document: OpenApiDocument;
  /** The settings with which another process can run a command on the same service. */
  readonly settings: { readonly DATABASE_URL: string; readonly FLORIN_KEYS: string };
  readonly clock: TestClock;
  readonly timers: TestTimers;
  /** The merchant whose key is sent by default. */
  readonly merchant: Merchant;
  /** Another merchant, which must not see any data of `merchant`. */
  readonly otherMerchant: Merchant;
  /** The parsed lines of the service's log. */
  readonly log: readonly Record<string, unknown>[];
  get(path: string, sent?: Headed): Promise<Reply>;
  post(path: string, body?: unknown, sent?: Headed): Promise<Reply>;
  delete(path: string, sent?: Headed): Promise<Reply>;
  /** Sends a request with exactly these headers. */
  send(method: string, path: string, sent?: Raw): Promise<Reply>;
  /** Sends a request to the loopback listener, as the simulated card network does. */
  sendInternal(method: string, path: string, sent?: Raw): Promise<Reply>;
  createMerchant(options?: MerchantOptions): Promise<Merchant>;
  issueKey(account: AccountId, livemode: boolean): Promise<{ id: ApiKeyId; secret: SecretKey }>;
  /** Returns the events of `merchant`, oldest first, optionally only those of one object. */
  events(objectId?: string): Promise<Reply["body"][]>;
  close(): Promise<void>;
};

export type Merchant = { readonly account: AccountId; readonly key: SecretKey };

export type MerchantOptions = {
  readonly status?: AccountStatus;
  /** The allowed origins in test mode. */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<AccountLimits>;
  readonly amounts?: AmountsByCurrency;
};

export type Headed = {
  /** The Idempotency-Key. */
  readonly key?: string;
  /** The secret key to send. Defaults to the key of `merchant`. */
  readonly as?: SecretKey;
};

type Raw = {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
};

export type ShopOptions = {
  /** A migrated database without accounts. Defaults to a new one. The shop drops it when it closes. */
  readonly database?: TestDatabase;
  /** The keys of another shop with the same database. Defaults to new keys. */
  readonly keysDirectory?: string;
  /**
   * The number of server processes, which `shop.url` uses in turn. Each is a separate app in this process, and all of
   * them share the state of a primary process. Defaults to FLORIN_TEST_PROCESSES, or 1.
   */
  readonly processes?: number;
  /** The number of database connections of each process. Defaults to only 4, because each one plans every statement. */
  readonly databasePool?: number;
  readonly rateLimit?: number;
  /**
   * False to run no background workers. Then no webhook is delivered, nothing expires and no status inquiry is sent.
   */
  readonly workers?: boolean;
  /** True if the background loops run in real time. By default they run only when the test ends their waits. */
  readonly inRealTime?: boolean;
  /** True if an operator's sensitive operations require a second operator. */
  readonly fourEyes?: boolean;
  /** Returns the key provider that the service uses instead of the given one, for example to count its calls. */
  readonly observeKeys?: (keys: KeyProvider) => KeyProvider;
  /** Returns the acquirer that test mode uses instead of the given one, for example to hold a response. */
  readonly wrapSimulator?: (simulator: Simulator) => Simulator;
  /** Sends email. Without this option, the service has no mail server. */
  readonly sendMail?: NonNullable<AppOptions["sendMail"]>;
  /** True if emails are shown on a page, as in the demo. */
  readonly inbox?: boolean;
  readonly threeDSecure?: AppOptions["threeDSecure"] & SimulationTiming["threeDSecure"];
  readonly meters?: Meters;
  readonly tracing?: AppOptions["tracing"];
  readonly dashboard?: AppOptions["dashboard"];
  readonly docs?: AppOptions["docs"];
  readonly trustedProxies?: AppOptions["trustedProxies"];
  /** The host name of the second origin, on the same port. Without this option, there is only one origin. */
  readonly walletsHost?: string;
  readonly liveAcquirer?: AppOptions["liveAcquirer"];
  readonly acquirers?: AppOptions["acquirers"];
  readonly testConnection?: AppOptions["testConnection"];
  readonly acquirerOrigins?: AppOptions["acquirerOrigins"];
  readonly walletServers?: AppOptions["walletServers"];
  readonly acquirer?: {
    responseTimeoutMs?: number;
    slowResponseMs?: number;
    resolveAfterMs?: number;
    replaySafeForMs?: number;
  };
};

/** The secret in the link to the inbox. */
export const inboxSecret = "a secret that the start printed".replaceAll(" ", "-");

/** The acquirer timeout: long enough for responses on a busy machine, short enough that a test can wait for it. */
export const acquirerTiming = {
  responseTimeoutMs: slowed(800),
  slowResponseMs: 150,
  resolveAfterMs: slowed(600),
};

/** The directory server's timeout. Longer than the acquirer's, because fewer tests wait for it. */
const directoryTimeoutMs = slowed(2_500);

export async function startShop(options: ShopOptions = {}): Promise<Shop> {
  const directory = await mkdtemp(join(tmpdir(), "florin-shop-"));
  const [testDatabase, embed] = await Promise.all([
    options.database ?? createTestDatabase(),
    builtEmbed(),
  ]);
  const clock = createTestClock();
  const timers = createTestTimers({ inRealTime: options.inRealTime ?? false });
  const log: Record<string, unknown>[] = [];
  let url = "";
  const networks: SimulatedNetwork[] = [];
  const settings = {
    DATABASE_URL: testDatabase.url,
    FLORIN_KEYS: options.keysDirectory ?? join(directory, "keys"),
  };
  const { observeKeys = (keys: KeyProvider) => keys } = options;
  const count = options.processes ?? Number(process.env.FLORIN_TEST_PROCESSES ?? 1);
  const hub = createSharedState(clock);

  function siblingsAt(index: number): Siblings {
    if (count === 1) return alone;
    const [ofPrimary, primary] = createChannelPair();
    hub.add(ofPrimary);
    return { index, count, primary };
  }

  const appOptions = (index: number): AppOptions => ({
    siblings: siblingsAt(index),
    databaseUrl: settings.DATABASE_URL,
    databasePool: options.databasePool ?? 4,
    keys: observeKeys(createLocalKeyProvider(settings.FLORIN_KEYS)),
    clock,
    timers,
    random: () => 0.5,
    log: pino({ level: "info" }, { write: (line: string) => void log.push(JSON.parse(line)) }),
    embed: { directory: embed.outdir, manifest: embed.manifest },
    publicUrl: () => url,
    rateLimit: options.rateLimit ?? null,
    privateWebhooks: privateNetworks,
    inboxSecret: options.inbox === false ? null : inboxSecret,
    workers: options.workers ?? true,
    fourEyes: options.fourEyes ?? false,
    ...(options.sendMail && { sendMail: options.sendMail }),
    ...(options.meters && { meters: options.meters }),
    ...(options.tracing && { tracing: options.tracing }),
    ...(options.dashboard && { dashboard: options.dashboard }),
    ...(options.docs && { docs: options.docs }),
    ...(options.trustedProxies && { trustedProxies: options.trustedProxies }),
    ...(options.walletsHost && {
      walletsUrl: () => `http://${options.walletsHost}:${new URL(url).port}`,
    }),
    ...(options.acquirers && { acquirers: options.acquirers }),
    ...(options.acquirerOrigins && { acquirerOrigins: options.acquirerOrigins }),
    ...(options.walletServers && { walletServers: options.walletServers }),
    ...(options.testConnection && { testConnection: options.testConnection }),
    ...(options.liveAcquirer && { liveAcquirer: options.liveAcquirer }),
    createTestNetwork: (deps) => {
      const network = createSimulatedNetwork(deps, {
        acquirer: { ...acquirerTiming, ...options.acquirer },
        ...(options.threeDSecure && { threeDSecure: options.threeDSecure }),
      });
      networks.push(network);
      const { wrapSimulator } = options;
      return wrapSimulator ? { ...network, acquirer: wrapSimulator(network.acquirer) } : network;
    },
    threeDSecure: { responseTimeoutMs: directoryTimeoutMs, ...options.threeDSecure },
  });
  const apps: App[] = [];
  for (let index = 0; index < count; index++) apps.push(await startApp(appOptions(index)));
  const urls: string[] = [];
  for (const { http } of apps) urls.push(await http.listen({ host: "127.0.0.1", port: 0 }));
  const [firstNetwork] = networks;
  assert(firstNetwork, "the service did not create its test network");
  // A test that injects a fault does not know which process will send the message.
  const simulator: Simulator = {
    ...firstNetwork.acquirer,
    injectFaults(faults, account) {
      for (const { acquirer } of networks) acquirer.injectFaults(faults, account);
    },
  };
  const roundRobin = count === 1 ? null : await startRoundRobin(() => urls);
  url = roundRobin?.url ?? (urls[0] as string);
  const app: App = {
    ...(apps[0] as App),
    writeKeyUses: () => inAll((one) => one.writeKeyUses()),
    writeRequestLog: () => inAll((one) => one.writeRequestLog()),
    async close() {
      await roundRobin?.close();
      await inAll((one) => one.close());
    },
  };
  async function inAll(work: (one: App) => Promise<void>): Promise<void> {
    await Promise.all(apps.map(work));
  }

  const client = createClient(url);
  const internal = createClient(app.internalUrl);
  const { document, checkResponse } = descriptionOf(app);
  const merchant = await createMerchant();
  const otherMerchant = await createMerchant();

  async function createMerchant(options: MerchantOptions = {}): Promise<Merchant> {
    const account = newId("acct", clock.now());
    const status = options.status ?? newAccount.status;
    await app.database.transaction((tx) =>
      insertAccount(tx, {
        ...newAccount,
        id: account,
        name: "Fieldware",
        country: "US",
        status,
        approvedAt: status === "approved" || status === "suspended" ? clock.now() : null,
        limits: { ...newAccount.limits, ...options.limits },
        amounts: options.amounts ?? {},
        settings: {
          ...newAccount.settings,
          test: { ...newAccount.settings.test, allowedOrigins: options.allowedOrigins ?? [] },
        },
      }),
    );
    return { account, key: (await issueKey(account, false)).secret };
  }

  function issueKey(account: AccountId, livemode: boolean) {
    const deps = { clock, hashKey: app.hashKey };
    return app.database.transaction(async (tx) => {
      if (livemode) await approve(tx, account);
      return issueApiKey(deps, tx, { account, livemode }, "A key");
    });
  }

  /** Approves the account as underwriting does, because live keys exist only after approval. */
  async function approve(tx: Tx, account: AccountId): Promise<void> {
    await tx`
      update accounts
         set status = case status when 'test_only' then 'approved' else status end, approved_at = ${clock.now()}
       where id = ${uuidOf(account)} and approved_at is null
    `;
  }

  async function send(method: string, path: string, sent: Raw = {}): Promise<Reply> {
    noteUse(timers);
    const reply = await client.send(method, path, sent);
    checkResponse(method, path, reply);
    return reply;
  }

  function request(
    method: string,
    path: string,
    body: unknown,
    { key, as }: Headed,
  ): Promise<Reply> {
    const headers = {
      authorization: `Bearer ${as ?? merchant.key}`,
      ...(key !== undefined && { "idempotency-key": key }),
    };
    return send(method, `/api/v1${path}`, { ...(body !== undefined && { body }), headers });
  }

  return {
    url,
    urls,
    app,
    simulator,
    document,
    settings,
    clock,
    timers,
    merchant,
    otherMerchant,
    log,
    get: (path, sent = {}) => request("GET", path, undefined, sent),
    post: (path, body, sent = {}) => request("POST", path, body, sent),
    delete: (path, sent = {}) => request("DELETE", path, undefined, sent),
    send,
    sendInternal: internal.send,
    createMerchant,
    issueKey,
    async events(objectId) {
      const { body } = await request("GET", "/events?limit=100", undefined, {});
      const all: Reply["body"][] = body.data.toReversed();
      return objectId === undefined ? all : all.filter(({ data }) => data.object.id === objectId);
    },
    async close() {
      await client.close();
      await internal.close();
      noteClose(timers);
      await app.close();
      await testDatabase.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

type Description = { readonly document: OpenApiDocument; readonly checkResponse: ResponseCheck };

/** The OpenAPI documents and response checks of this process's services, by their routes. */
const descriptions = new Map<string, Description>();

function descriptionOf({ routes, servedRoutes }: App): Description {
  const key = JSON.stringify([
    routes.map(({ method, path }) => [method, path]),
    servedRoutes.map(({ method, url }) => [method, url]),
  ]);
  const known = descriptions.get(key);
  if (known) return known;
  const document = openApi(routes, { version: "test" });
  const description = { document, checkResponse: responseCheckOf(document, servedRoutes) };
  descriptions.set(key, description);
  return description;
}

/** Returns the fields of an error on which a client can branch: status, type, code and parameter. */
export function errorOf({ status, body }: Reply) {
  const { type, code, param } = body.error;
  return param === undefined ? [status, type, code] : [status, type, code, param];
}
