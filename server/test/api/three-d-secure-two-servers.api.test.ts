import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { createSimulatedNetwork } from "@florin/simulator/simulated-network.ts";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { createCardholder, rightCode, submitToIssuer } from "../cardholder.ts";
import { startChallenge } from "../challenge.ts";
import { createClient } from "../client.ts";
import { startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

test("a challenge started on one server is completed on another, each with its own loopback listener", async () => {
  const directory = await mkdtemp(join(tmpdir(), "florin-second-"));
  const embed = await builtEmbed();
  const second = await startApp({
    databaseUrl: shop.settings.DATABASE_URL,
    databasePool: 4,
    keys: createLocalKeyProvider(shop.settings.FLORIN_KEYS),
    clock: shop.clock,
    random: () => 0.5,
    log: pino({ level: "silent" }),
    embed: { directory: embed.outdir, manifest: embed.manifest },
    publicUrl: () => shop.url,
    rateLimit: null,
    privateWebhooks: [],
    workers: false,
    createTestNetwork: createSimulatedNetwork,
  });
  const client = createClient(await second.http.listen({ host: "127.0.0.1", port: 0 }));
  try {
    assert.notEqual(second.internalUrl, shop.app.internalUrl);
    const { cardholder, waitUntilFinal } = await startChallenge(shop, "4000002760003184");
    await cardholder.runUntilAres();
    const page = await createCardholder(
      client,
      `${shop.url}${cardholder.path}#${cardholder.secret}`,
    ).openIssuerPage();
    // From here on only the second server is used. It receives the authentication result.
    await submitToIssuer(client, page, rightCode);
    assert.equal((await waitUntilFinal()).status, "succeeded");
  } finally {
    await client.close();
    await second.close();
    await rm(directory, { recursive: true });
  }
});
