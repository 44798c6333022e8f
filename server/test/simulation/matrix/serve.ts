import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Faults, Message } from "@florin/simulator/faults.ts";
import {
  createSimulatedNetwork,
  type SimulatedNetwork,
} from "@florin/simulator/simulated-network.ts";
import { openApp } from "../../../src/app.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { openLog } from "../../../src/log.ts";
import { createLocalKeyProvider } from "../../../src/vault/local-key-provider.ts";
import { privateNetworks } from "../../../src/webhooks/delivery/ip-address-rules.ts";
import { bankAnswersWithinMs, responseTimeoutMs } from "./cells.ts";

/**
 * A server that can be held at a point of a message's path to the acquirer, and killed there: `serve.ts <database>
 * <directory> <embed build> <address of the bank's line>`. Its channel receives the behaviour for one merchant's next
 * message.
 */
export type MerchantInformation =
  | {
      readonly kind: "arm";
      readonly account: AccountId;
      readonly on: Message;
      readonly faults: Faults;
      /** The point at which the message waits: until `go`, or until the server is killed. */
      readonly hold: "before it is sent" | "before it is answered" | null;
    }
  | { readonly kind: "go" };

export type Said =
  | { readonly kind: "listening"; readonly url: string; readonly internalUrl: string }
  | { readonly kind: "armed" | "asked"; readonly account: AccountId };

const [databaseUrl, directory, outdir, bankLine] = process.argv.slice(2) as string[] as [
  string,
  string,
  string,
  string,
];
let url = "";
let network: SimulatedNetwork | null = null;
const app = await openApp({
  databaseUrl,
  // A commit that waits for a lock occupies its connection.
  databasePool: 80,
  keys: createLocalKeyProvider(join(directory, "keys")),
  clock: systemClock,
  chance: () => 0.5,
  log: openLog("silent"),
  embed: {
    directory: outdir,
    manifest: JSON.parse(await readFile(join(outdir, "manifest.json"), "utf8")),
  },
  publicUrl: () => url,
  internalUrl: () => bankLine,
  rateLimit: null,
  privateWebhooks: privateNetworks,
  workers: true,
  createTestNetwork: (deps) => {
    network = createSimulatedNetwork(deps, {
      acquirer: { responseTimeoutMs, slowResponseMs: 100, resolveAfterMs: 300 },
    });
    return network;
  },
  threeDSecure: { responseTimeoutMs: bankAnswersWithinMs, answerMs: 6_000, handOverMs: 5_000 },
});
const { acquirer: simulator } = network as unknown as SimulatedNetwork;

const armed = new Map<AccountId, Extract<MerchantInformation, { kind: "arm" }>>();
const released = Promise.withResolvers<void>();
const say = (said: Said) => process.send?.(said);

type Line = { [method: string]: (request: { account: AccountId }) => Promise<unknown> };
const line = simulator as unknown as Line;
for (const method of ["authorize", "inquire", "inquireOperation", "operate"]) {
  const send = line[method] as Line[string];
  line[method] = async (request) => {
    const orders = armed.get(request.account);
    if (!orders || orders.on !== messageOf(method, request)) return send(request);
    armed.delete(request.account);
    simulator.misbehave({ ...orders.faults, on: [orders.on], times: 1 }, request.account);
    say({ kind: "asked", account: request.account });
    if (orders.hold === "before it is sent") await released.promise;
    const answer = await send(request);
    if (orders.hold === "before it is answered") await new Promise(() => undefined);
    return answer;
  };
}

function messageOf(method: string, request: object): Message {
  if (method === "operate") return (request as { kind: Message }).kind;
  return method === "authorize" ? "authorize" : "inquire";
}

process.on("message", (told: MerchantInformation) => {
  if (told.kind === "go") return released.resolve();
  armed.set(told.account, told);
  say({ kind: "armed", account: told.account });
});

url = await app.http.listen({ host: "127.0.0.1", port: 0 });
say({ kind: "listening", url, internalUrl: app.internalUrl });
