import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Faults } from "@florin/simulator/faults.ts";
import { createSimulatedNetwork } from "@florin/simulator/simulated-network.ts";
import type { Simulator } from "@florin/simulator/simulator.ts";
import type { AcquirerOrigins } from "../../src/acquiring/connector.ts";
import { startApp } from "../../src/app.ts";
import type { AccountId } from "../../src/core/ids.ts";
import { systemTimers } from "../../src/core/timers.ts";
import { createLog } from "../../src/log.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { privateNetworks } from "../../src/webhooks/delivery/ip-address-rules.ts";
import { slowed } from "../slowness.ts";
import { createTestClock } from "../test-clock.ts";

/**
 * Runs a service that a conformance test kills: `serve.ts <settings>`. Test mode uses the simulator and live mode the
 * fakes of live acquirers. Commands over the IPC channel advance its clock and inject faults into the simulator.
 */
export type ServiceSettings = {
  readonly databaseUrl: string;
  readonly keysDirectory: string;
  readonly embedDirectory: string;
  readonly acquirerOrigins: AcquirerOrigins;
  readonly port: number;
  /**
   * The time by which the clock is ahead of real time. A restarted service receives the same time, so that the clock
   * never goes back.
   */
  readonly aheadMs: number;
};

export type ServiceCommand =
  | { readonly kind: "advance"; readonly milliseconds: number }
  | { readonly kind: "inject"; readonly account: AccountId; readonly faults: Faults };

export type ServiceMessage =
  | { readonly kind: "listening" }
  | { readonly kind: "done"; readonly command: number };

/**
 * The service's timers run ten times faster than real time, or slower on a busy machine, so its loops run ten times a
 * second. Due times depend on the clock, which the test advances.
 */
const timerSpeed = 10 / slowed(1);

/**
 * The minimum duration of a timer of three seconds or more. Such timers are timeouts of requests, and the fakes need
 * time to respond, because they share one process.
 */
const minTimeoutMs = slowed(2_000);

function shorten(delayMs: number): number {
  const shortMs = delayMs / timerSpeed;
  return delayMs < 3_000 ? shortMs : Math.max(shortMs, minTimeoutMs);
}

const settings: ServiceSettings = JSON.parse(process.argv[2] as string);
const clock = createTestClock();
clock.advance(settings.aheadMs);
const url = `http://127.0.0.1:${settings.port}`;
let simulator: Simulator | null = null as Simulator | null;

const app = await startApp({
  databaseUrl: settings.databaseUrl,
  databasePool: 16,
  keys: createLocalKeyProvider(settings.keysDirectory),
  clock,
  timers: { after: (delayMs, due) => systemTimers.after(shorten(delayMs), due) },
  random: () => 0.5,
  log: createLog("error"),
  embed: {
    directory: settings.embedDirectory,
    manifest: JSON.parse(await readFile(join(settings.embedDirectory, "manifest.json"), "utf8")),
  },
  publicUrl: () => url,
  rateLimit: null,
  privateWebhooks: privateNetworks,
  workers: true,
  acquirers: "sandbox",
  acquirerOrigins: settings.acquirerOrigins,
  createTestNetwork: (deps) => {
    const network = createSimulatedNetwork(deps, {
      acquirer: { responseTimeoutMs: 800, slowResponseMs: 100, resolveAfterMs: 300 },
    });
    simulator = network.acquirer;
    return network;
  },
});

function run(command: ServiceCommand): void {
  if (command.kind === "advance") clock.advance(command.milliseconds);
  else simulator?.injectFaults(command.faults, command.account);
}

let commands = 0;
const report = (message: ServiceMessage) => process.send?.(message);
process.on("message", (command: ServiceCommand) => {
  run(command);
  report({ kind: "done", command: ++commands });
});
// Exits when the test ends, even if the test was killed.
process.on("disconnect", () => process.exit());

await app.http.listen({ host: "127.0.0.1", port: settings.port });
report({ kind: "listening" });
