import type { ApprovalAcquirer, ApprovalMetrics } from "@florin/contract/approval-metrics.ts";
import { acquirerTitles } from "../../components/acquirer-titles.ts";

const titles: Readonly<Record<ApprovalAcquirer, string>> = {
  ...acquirerTitles,
  simulator: "Simulator",
};

/** The names of connections by their IDs. */
export type ConnectionNames = ReadonlyMap<string, string>;

/** Returns the names of the connections. If two have the same acquirer, the name contains the account at the acquirer. */
export function connectionNames(connections: ApprovalMetrics["connections"]): ConnectionNames {
  const counts = new Map<string, number>();
  for (const { acquirer } of connections) counts.set(acquirer, (counts.get(acquirer) ?? 0) + 1);
  return new Map(
    connections.map(({ connection, acquirer, merchant_account }) => {
      const name = titles[acquirer];
      const isShared = (counts.get(acquirer) ?? 0) > 1 && merchant_account !== null;
      return [connection, isShared ? `${name} (${merchant_account})` : name];
    }),
  );
}
