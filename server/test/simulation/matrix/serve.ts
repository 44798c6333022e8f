import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Faults, Message } from "@florin/simulator/faults.ts";
import { createSimulatedNetwork } from "@florin/simulator/simulated-network.ts";
import type { Simulator } from "@florin/simulator/simulator.ts";
import { startApp } from "../../../src/app.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { createLog } from "../../../src/log.ts";
import { createLocalKeyProvider } from "../../../src/vault/local-key-provider.ts";
import { privateNetworks } from "../../../src/webhooks/delivery/ip-address-rules.ts";
import { directoryTimeoutMs, responseTimeoutMs } from "./fault-cases.ts";

/**
 * Runs a server that can be paused before or after it sends a message to the acquirer, and killed while it is paused:
 *
 *     serve.ts <database> <directory> <embed build> <URL of the directory proxy>
 *
 * A command over the IPC channel sets the faults for one merchant's next message.
 */
export type ServerCommand =
  | {
      readonly kind: "arm";
      readonly account: AccountId;
      readonly on: Message;
      readonly faults: Faults;
      /** The point at which the message waits until the command `resume` arrives or the server is killed. */
      readonly pauseAt: "before it is sent" | "before the response" | null;
    }
  | { readonly kind: "resume" };

export type ServerMessage =
  | { readonly kind: "listening"; readonly url: string; readonly internalUrl: string }
  | { readonly kind: "armed" | "reached"; readonly account: AccountId };

const [databaseUrl, directory, outdir, directoryProxy] = process.argv.slice(2) as string[] as [
  string,
  string,
  string,
  string,
];
const armed = new Map<AccountId, Extract<ServerCommand, { kind: "arm" }>>();
const released = Promise.withResolvers<void>();
const report = (message: ServerMessage) => process.send?.(message);

type Methods = { [method: string]: (request: { account: AccountId }) => Promise<unknown> };

/** Applies the armed commands to the simulator's methods. Must be called before the service wraps the methods. */
function intercept(simulator: Simulator): void {
  const methods = simulator as unknown as Methods;
  for (const method of ["authorize", "inquire", "inquireOperation", "operate"]) {
    const send = methods[method] as Methods[string];
    methods[method] = async (request) => {
      const command = armed.get(request.account);
      if (!command || command.on !== messageOf(method, request)) return send(request);
      armed.delete(request.account);
      simulator.injectFaults({ ...command.faults, on: [command.on], times: 1 }, request.account);
      report({ kind: "reached", account: request.account });
      if (command.pauseAt === "before it is sent") await released.promise;
      const response = await send(request);
      if (command.pauseAt === "before the response") await new Promise(() => undefined);
      return response;
    };
  }
}

function messageOf(method: string, request: object): Message {
  if (method === "operate") return (request as { kind: Message }).kind;
  return method === "authorize" ? "authorize" : "inquire";
}

let url = "";
const app = await startApp({
  databaseUrl,
  // Large enough for all cases, because each commit that waits for a lock occupies a connection.
  databasePool: 80,
  keys: createLocalKeyProvider(join(directory, "keys")),
  clock: systemClock,
  random: () => 0.5,
  log: createLog("silent"),
  embed: {
    directory: outdir,
    manifest: JSON.parse(await readFile(join(outdir, "manifest.json"), "utf8")),
  },
  publicUrl: () => url,
  internalUrl: () => directoryProxy,
  rateLimit: null,
  privateWebhooks: privateNetworks,
  workers: true,
  createTestNetwork: (deps) => {
    const network = createSimulatedNetwork(deps, {
      acquirer: { responseTimeoutMs, slowResponseMs: 100, resolveAfterMs: 300 },
    });
    intercept(network.acquirer);
    return network;
  },
  threeDSecure: { responseTimeoutMs: directoryTimeoutMs, aresMs: 6_000, continuationMs: 5_000 },
});
process.on("message", (command: ServerCommand) => {
  if (command.kind === "resume") return released.resolve();
  armed.set(command.account, command);
  report({ kind: "armed", account: command.account });
});

url = await app.http.listen({ host: "127.0.0.1", port: 0 });
report({ kind: "listening", url, internalUrl: app.internalUrl });
