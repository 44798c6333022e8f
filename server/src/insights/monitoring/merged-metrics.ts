import {
  AggregatorRegistry,
  openMetricsContentType as openMetrics,
  type Registry,
  type RegistryContentType,
} from "prom-client";
import type { Channel } from "../../platform/processes/channel.ts";
import type { Hub } from "../../platform/processes/hub.ts";
import type { MetricsRegistry } from "./process-metrics.ts";

const topic = "metrics: read";

/** The time to wait for a worker's metrics. Prometheus times out after ten seconds by default. */
const timeoutMs = 5_000;

/** The metrics of a process, as JSON. */
export type Metrics = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** Responds with the metrics of this worker when the primary process reads them. */
export function reportMetrics(
  primary: Channel,
  registry: MetricsRegistry,
  refresh: () => Promise<void>,
): void {
  primary.handle(topic, async () => {
    await refresh();
    return registry.getMetricsAsJSON();
  });
}

/**
 * Returns a function that reads the metrics of all workers and of the primary process, which `mergeMetrics` merges.
 *
 * Counters never decrease, because Prometheus would treat a decrease as a restart and count the whole sum again.
 * Therefore the merged metrics still include the last counters of workers that have exited or do not respond.
 */
export function createMergedMetrics(hub: Hub, own: MetricsRegistry): () => Promise<Metrics[]> {
  const lastRead = new Map<Channel, Metrics>();
  let ofExited: Metrics = [];

  hub.onRemoved((worker) => {
    const last = lastRead.get(worker);
    lastRead.delete(worker);
    if (!last) return;
    const merged = AggregatorRegistry.aggregate([ofExited, countersIn(last)]);
    // In a merged registry, each metric is an object that contains its values, as in `Metrics`.
    ofExited = merged.getMetricsAsArray() as Metrics;
  });

  return async () => {
    const responses = await hub.requestAll(topic, null, timeoutMs);
    const responded = new Set(responses.map(({ worker }) => worker));
    for (const { worker, body } of responses) lastRead.set(worker, body as Metrics);
    const current = [...lastRead].map(([worker, metrics]) =>
      responded.has(worker) ? metrics : countersIn(metrics),
    );
    return [await own.getMetricsAsJSON(), ...current, ofExited];
  };
}

/**
 * Merges the metrics of processes. Counters and histograms are added, and a bucket has the newest exemplar of all
 * processes. A gauge is merged with its `aggregator`: the sum by default.
 */
export function mergeMetrics(
  ofProcesses: readonly Metrics[],
  format: RegistryContentType,
): Registry<RegistryContentType> {
  const exemplars = newestExemplars(ofProcesses);
  const merged = AggregatorRegistry.aggregate<RegistryContentType>([...ofProcesses]);
  merged.setContentType(format);
  for (const metric of merged.getMetricsAsArray()) {
    const { name, type, values } = metric as unknown as MergedMetric;
    // Adds the exemplars, which the aggregator drops. Removes `_total` from the names of counters, because the
    // OpenMetrics format adds this suffix.
    for (const value of values) value.exemplar = exemplars.get(bucketOf(value));
    if (type === "counter" && format === openMetrics) {
      const read = metric as unknown as { get(): MergedMetric };
      read.get().name = name.replace(/_total$/, "");
    }
  }
  return merged;
}

type Value = {
  readonly metricName?: string;
  readonly labels: object;
  exemplar?: Exemplar | null | undefined;
};
type Exemplar = { readonly labelSet: object; readonly value: number; readonly timestamp: number };
type MergedMetric = { name: string; readonly type: string; readonly values: readonly Value[] };

function newestExemplars(ofProcesses: readonly Metrics[]): ReadonlyMap<string, Exemplar> {
  const newest = new Map<string, Exemplar>();
  for (const metric of ofProcesses.flat()) {
    for (const value of (metric as unknown as MergedMetric).values) {
      if (!value.exemplar) continue;
      const bucket = bucketOf(value);
      const known = newest.get(bucket);
      if (known && known.timestamp >= value.exemplar.timestamp) continue;
      newest.set(bucket, value.exemplar);
    }
  }
  return newest;
}

/** Returns a key for a bucket of a histogram. All processes write the labels in the same order. */
function bucketOf({ metricName, labels }: Value): string {
  return `${metricName} ${JSON.stringify(labels)}`;
}

function countersIn(metrics: Metrics): Metrics {
  return metrics.filter(({ type }) => ["counter", "histogram"].includes(String(type)));
}
