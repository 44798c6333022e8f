import { type Deliveries, startDeliveries } from "../webhooks/delivery/deliver.ts";
import type { DeliveryDeps } from "../webhooks/delivery/delivery-deps.ts";

/**
 * The webhook deliveries of this process. Writers of deliveries are created before the worker that sends them, and a
 * process without workers never starts one. Until then nothing is leased: deliveries wait in the database, where a
 * worker of any process claims them.
 */
export type OwnDeliveries = Deliveries & { start(deps: DeliveryDeps): void };

export function openOwnDeliveries(): OwnDeliveries {
  let worker: Deliveries | null = null;
  return {
    start(deps) {
      worker = startDeliveries(deps);
    },
    wake: () => worker?.wake(),
    lease: () => worker?.lease() ?? null,
    take: (owner, deliveries, first) => worker?.take(owner, deliveries, first),
    stop: async () => worker?.stop(),
  };
}
