import { AggregatorRegistry, type Registry } from "prom-client";
import type { Channel } from "../../platform/processes/channel.ts";
import type { Hub } from "../../platform/processes/hub.ts";

const topic = "metrics: read";

/** The time to wait for a worker's metrics. Prometheus times out after ten seconds by default. */
const timeoutMs = 5_000;

type Metrics = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** Responds with the metrics of this worker when the primary process reads them. */
export function reportMetrics(
  primary: Channel,
  registry: Registry,
  refresh: () => Promise<void>,
): void {
  primary.handle(topic, async () => {
    await refresh();
    return registry.getMetricsAsJSON();
  });
}

/**
 * Merges the metrics of all workers with those of the primary process. Counters and histograms are added. A gauge is
 * merged with its `aggregator`: the sum by default.
 *
 * Counters never decrease, because Prometheus would treat a decrease as a restart and count the whole sum again. The last
 * known counters of a worker that has exited are therefore kept, and those of a worker that does not respond are
 * repeated.
 */
export function createMergedMetrics(hub: Hub, own: Registry): () => Promise<Registry> {
  const lastRead = new Map<Channel, Metrics>();
  let ofExited: Metrics = [];

  hub.onRemoved((worker) => {
    const last = lastRead.get(worker);
    lastRead.delete(worker);
    if (!last) return;
    const merged = AggregatorRegistry.aggregate([ofExited, countersIn(last)]);
    // The metrics of a merged registry are objects with their values.
    ofExited = merged.getMetricsAsArray() as Metrics;
  });

  return async () => {
    const responses = await hub.requestAll(topic, null, timeoutMs);
    const responded = new Set(responses.map(({ worker }) => worker));
    for (const { worker, body } of responses) lastRead.set(worker, body as Metrics);
    const current = [...lastRead].map(([worker, metrics]) =>
      responded.has(worker) ? metrics : countersIn(metrics),
    );
    return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...current, ofExited]);
  };
}

function countersIn(metrics: Metrics): Metrics {
  return metrics.filter(({ type }) => ["counter", "histogram"].includes(String(type)));
}
