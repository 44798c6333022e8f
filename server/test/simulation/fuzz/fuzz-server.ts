import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { JsonSchema } from "@florin/contract/openapi.ts";
import type { TSchema } from "typebox";
import type { ServedRoute } from "../../../src/platform/http/access.ts";
import { endProcess } from "../../../src/platform/processes/end-process.ts";
import { createLocalKeyProvider } from "../../../src/vault/local-key-provider.ts";
import { fillIn } from "../../application.ts";
import { createPerson } from "../../person.ts";
import { inboxSecret, startShop } from "../../shop.ts";
import { measureEventLoopStalls } from "./event-loop-stalls.ts";
import type {
  ChildRequest,
  ChildResponses,
  FuzzedRoute,
  FuzzedService,
  NetworkIds,
} from "./fuzzed-service.ts";

/*
 * Runs the service in a child process, so that the measured event loop time excludes the fuzzer's work. The parent
 * requests new credentials when a fuzzed request has revoked the old ones. The rate limits per network and account are
 * off. The limits for sign-in attempts and password hashing are on.
 */
const directory = await mkdtemp(join(tmpdir(), "florin-fuzz-"));
await mkdir(join(directory, "assets"));
await writeFile(join(directory, "index.html"), "<!doctype html>");
await writeFile(join(directory, "assets/page.js"), "");

const shop = await startShop({
  acquirer: { slowResponseMs: 50 },
  dashboard: { directory },
  inRealTime: true,
  // Trusts `x-forwarded-for`, so that each request can appear to come from another network.
  trustedProxies: ["127.0.0.1/32"],
});

const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);

type Handlers = {
  readonly [Name in keyof ChildResponses]: (about: string) => Promise<ChildResponses[Name]>;
};

const handlers: Handlers = {
  async merchant() {
    const { account } = await shop.createMerchant();
    const key = (await shop.issueKey(account, false)).secret;
    const person = await createPerson(shop, { account });
    return { account, key, cookie: person.cookie() };
  },
  async person() {
    const { account } = await shop.createMerchant();
    const { email, password, cookie } = await createPerson(shop, { account });
    return { email, password, cookie: cookie() };
  },
  async operator() {
    const [none, submitted, approved] = await Promise.all([
      shop.createMerchant(),
      shop.createMerchant(),
      shop.createMerchant({ status: "approved" }),
    ]);
    const owner = await createPerson(shop, { account: submitted.account });
    await fillIn(owner);
    const reply = await owner.api("POST", "/application/submit");
    assert.equal(reply.status, 200, reply.text);
    const operator = await createPerson(shop, { operator: true, secondFactor: true });
    return {
      cookie: operator.cookie(),
      accounts: [none.account, submitted.account, approved.account],
    };
  },
  async network(acsTransID) {
    const [row] = await shop.app.database.read<NetworkIds>`
      select c.acs_transaction_id as "acsTransID", c.three_ds_server_transaction_id as "threeDSServerTransID",
             c.ds_transaction_id as "dsTransID", c.notification_url as "notificationURL",
             t.three_ds_server_url as "resultsURL"
        from simulator.challenges c
        join simulator.directory_transactions t using (ds_transaction_id)
       where c.acs_transaction_id = ${acsTransID}`;
    return row ?? null;
  },
  async report() {
    const loggedErrors = shop.log.filter(
      (line) => typeof line.level === "number" && line.level >= 50 && !isConnectTimeout(line),
    );
    return { stalls: stalls.seen(), loggedErrors };
  },
};

process.on("message", async ({ id, name: request, about = "" }: ChildRequest) => {
  if (request !== "close") {
    process.send?.({ id, response: await handlers[request](about) });
    return;
  }
  stalls.stop();
  await shop.close();
  await rm(directory, { recursive: true });
  endProcess(0);
});

function routesIn(table: readonly ServedRoute[]): FuzzedRoute[] {
  return table
    .filter(({ method }) => method !== "HEAD")
    .map(({ method, url, accepts, returns }) => ({
      method,
      url,
      body: asJson(accepts?.body),
      query: asJson(accepts?.query),
      returns: asJson(returns ?? undefined),
    }));
}

function asJson(schema: TSchema | undefined): JsonSchema | null {
  return schema ? JSON.parse(JSON.stringify(schema)) : null;
}

const ready: FuzzedService = {
  url: shop.url,
  internalUrl: shop.app.internalUrl,
  secrets: {
    inbox: inboxSecret,
    notifications: (await keys.mac(false, Buffer.from("simulator_notifications"))).toString(
      "base64url",
    ),
  },
  document: shop.document,
  routes: routesIn(shop.app.servedRoutes),
  internalRoutes: routesIn(shop.app.internalRoutes),
};
process.send?.({ ready });
// Measure from here, to exclude the start of the service and the setup above.
await setImmediate();
const stalls = measureEventLoopStalls();

/**
 * The errors of `pg` and `pg-pool` for a connection that Postgres accepts too late, which only a busy machine causes.
 */
const connectTimeouts = ["timeout expired", "timeout exceeded when trying to connect"];

function isConnectTimeout({ err }: Record<string, unknown>): boolean {
  return connectTimeouts.includes((err as { message?: string } | undefined)?.message ?? "");
}
