import type { Options } from "../options.ts";
import { chargeScenarios, floorScenarios, liveScenarios } from "./charges.ts";
import { filledScenarios } from "./filled.ts";
import { listScenarios } from "./lists.ts";
import { manyMerchantScenarios } from "./many-merchants.ts";
import { notificationScenarios } from "./notifications.ts";
import { peerScenarios } from "./peers.ts";
import { processScenarios } from "./processes.ts";
import { requestScenarios } from "./requests.ts";
import type { Scenario } from "./scenario.ts";
import { webhookScenarios } from "./webhooks.ts";

export function scenariosFor(options: Pick<Options, "rows" | "only" | "processes">): Scenario[] {
  const all = [
    ...chargeScenarios,
    ...options.processes.flatMap(processScenarios),
    ...manyMerchantScenarios,
    ...(options.rows > 0 ? filledScenarios : []),
    ...liveScenarios,
    ...notificationScenarios,
    ...floorScenarios,
    ...peerScenarios,
    ...requestScenarios,
    ...listScenarios,
    ...webhookScenarios,
  ];
  return all.filter(({ name }) => options.only?.test(name) ?? true);
}
