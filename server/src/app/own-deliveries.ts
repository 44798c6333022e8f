import { type Deliveries, startDeliveries } from "../webhooks/deliver.ts";
import type { DeliveryDeps } from "../webhooks/delivery-deps.ts";

/**
 * The webhook deliveries of this process. Whoever writes deliveries is opened before the worker that sends them is
 * started, and without workers it never is. Until then nothing is leased to it and there is nobody to wake: what is
 * written waits in the database, where a worker of any process finds it.
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
