import type { Processor } from "@florin/server/acquiring/processor.ts";
import { createPaymentMethods } from "@florin/server/cards/payment-methods/payment-methods.ts";
import { systemClock as clock } from "@florin/server/core/clock.ts";
import { systemTimers } from "@florin/server/core/timers.ts";
import { prepareDemo } from "@florin/server/demo.ts";
import { createAccountCache } from "@florin/server/identity/accounts/account-cache.ts";
import { createKeyAuthentication } from "@florin/server/identity/api-keys/authenticate-key.ts";
import type { HashKey } from "@florin/server/identity/api-keys/issue-api-key.ts";
import { chargeRoutes } from "@florin/server/payments/charges/charge.routes.ts";
import { readCharge } from "@florin/server/payments/charges/charge.sql.ts";
import type { ChargeDeps } from "@florin/server/payments/charges/charge-deps.ts";
import { createRecordedOutcomes } from "@florin/server/payments/charges/recorded-outcomes.ts";
import { createClientSecrets } from "@florin/server/payments/sessions/client-secret.ts";
import { createChangeFeed } from "@florin/server/platform/changes/change-feed.ts";
import { connectDatabase } from "@florin/server/platform/database/database.ts";
import { serveApi } from "@florin/server/platform/http/api.ts";
import { createRateLimit } from "@florin/server/platform/http/rate-limit.ts";
import { createServer } from "@florin/server/platform/http/server.ts";
import { createIdempotencyKeys } from "@florin/server/platform/idempotency/idempotency.ts";
import { createRiskServices } from "@florin/server/risk/risk-services.ts";
import { createLocalKeyProvider } from "@florin/server/vault/local-key-provider.ts";
import { createVault } from "@florin/server/vault/vault.ts";
import { decide, responseOf } from "@florin/simulator/authorization.ts";
import { createSimulator } from "@florin/simulator/simulator.ts";
import { oneStatementPerPhase } from "../writers/one-statement.ts";
import { plainTransactions } from "../writers/plain.ts";
import type { Writers } from "../writers/writers.ts";
import { serveBench, settingsOfThisProcess } from "./child.ts";
import type { ServerReady, ServerSettings } from "./server-messages.ts";

/**
 * A floor: a server with the same HTTP server, authentication, validation, risk decision, rendering and rows as the
 * service. A floor differs from the service only in how it writes the rows.
 */
export type FloorSettings = ServerSettings & { readonly writers: keyof typeof writersByName };

const writersByName = { plain: plainTransactions, oneStatement: oneStatementPerPhase };

const settings = settingsOfThisProcess<FloorSettings>();
const keys = createLocalKeyProvider(`${settings.directory}/keys`);
const database = connectDatabase({
  url: settings.databaseUrl,
  poolSize: 4,
  onIdleError: (error) => console.error(error.message),
});
const changes = createChangeFeed(database);
const accounts = createAccountCache(database, changes);
const background = { timers: systemTimers, onError: console.error };
const changeLoop = changes.start(background);
const writers = writersByName[settings.writers](settings.databaseUrl);
const hashKey: HashKey = (key) => keys.mac(false, Buffer.from(`api_key|${key}`));
const vault = createVault({ keys, clock, database });
const idempotencyKeys = createIdempotencyKeys(database);
const processor = withLedgerOf(createSimulator({ database, clock }), writers);

const riskServices = createRiskServices({ database, changes, clock }, background);
const riskLoops = riskServices.start();

const origin = "http://127.0.0.1";
const noKeys = { test: Buffer.alloc(32), live: Buffer.alloc(32) };

const deps: ChargeDeps = {
  database,
  clock,
  random: () => 0.5,
  processNumber: () => 1,
  idempotencyKeys,
  commits: writers,
  recordedOutcomes: createRecordedOutcomes(),
  reads: { readCharge: ({ scope, id }) => readCharge(database.read, scope, id) },
  acquirers: {
    accepts: () => true,
    choose: () => ({ processor, route: null }),
    chooseVerifier: () => null,
    chooseNext: () => null,
    acceptedNetworks: () => ["visa"],
    walletGateways: () => [],
    readGatewayToken: () => "no_gateway",
    cascades: () => false,
    of: () => processor,
    isRetired: () => false,
    amountUnitOf: () => 1,
    payerOf: () => processor,
    settlementsOf: () => null,
    isConnected: () => true,
  },
  accounts,
  paymentMethods: createPaymentMethods({ database, vault, clock }),
  riskEngine: riskServices.riskEngine,
  cardLimits: false,
  links: { baseUrl: () => origin, clientSecrets: createClientSecrets(noKeys) },
  returnUrlOf: () => origin,
  log: { manualReview: console.error, inquiryFailed: console.error, failedOver: console.error },
};

/** Returns the simulated acquirer, changed to record authorizations through the given writers. */
function withLedgerOf(simulator: Processor, { recordAuthorization }: Writers): Processor {
  return {
    ...simulator,
    async authorize(request) {
      const { authorization } = decide(request, clock.now(), 0);
      await recordAuthorization(authorization);
      return responseOf(authorization);
    },
  };
}

const http = createServer({
  clock,
  baseUrl: () => "http://127.0.0.1",
  log: { fault: (request, error) => console.error(request, error) },
});
const authenticate = createKeyAuthentication({
  database,
  changes,
  accounts,
  clock,
  hashKey,
  keyUses: { note: () => {} },
});
serveApi(http, chargeRoutes(deps), {
  admit: (request) => authenticate(request.headers.authorization),
  clock,
  rateLimit: createRateLimit(null),
  idempotencyKeys,
  wasApproved: async () => false,
});
const url = await http.listen({ host: "127.0.0.1", port: 0 });
const demo = await prepareDemo({ database, clock, keys, hashKey }, settings.directory, null);
const merchant = { account: demo.account_id, secretKey: demo.test_secret_key };
serveBench(
  { url, merchant, merchants: [], listener: merchant, people: null } satisfies ServerReady,
  async () => {
    await http.close();
    await Promise.all([...riskLoops, changeLoop].map((loop) => loop.stop()));
    await writers.close();
    await idempotencyKeys.close();
    await changes.close();
    await database.close();
  },
);
