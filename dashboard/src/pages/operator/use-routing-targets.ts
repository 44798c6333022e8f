import type {
  Assignments,
  Connection,
  Connections,
} from "@florin/contract/operator-connections.ts";
import type { RoutingRule } from "@florin/contract/operator-routing.ts";
import { useAdminQuery } from "../../api/admin.ts";
import type { ApiProblem } from "../../api/problem.ts";

/** An active assignment of the account, which a rule can name as a target. */
export type Target = {
  readonly assignment: string;
  /** The name of the connection, with the merchant account. */
  readonly label: string;
  readonly state: Connection["state"];
};

/** Reads the account's active assignments, by priority. */
export function useRoutingTargets(account: string): {
  readonly data: readonly Target[] | undefined;
  readonly error: ApiProblem | null;
} {
  const assignments = useAdminQuery<Assignments>("/assignments", { account, state: "active" });
  const connections = useAdminQuery<Connections>("/connections");
  const error = assignments.error ?? connections.error;
  if (!assignments.data || !connections.data) return { data: undefined, error };
  const known = new Map(connections.data.data.map((one) => [one.id, one]));
  const data = assignments.data.data
    .toSorted((one, other) => one.priority - other.priority)
    .flatMap(({ id, connection, merchant_account }) => {
      const { name, state } = known.get(connection) ?? {};
      return name === undefined || state === undefined
        ? []
        : { assignment: id, label: `${name} (${merchant_account})`, state };
    });
  return { data, error };
}

/** Returns the targets of a rule as text, with their shares: `Adyen Europe (FieldwareECOM) 90%`. */
export function targetTexts(
  { targets }: Pick<RoutingRule, "targets">,
  known: readonly Target[],
): readonly string[] {
  const sum = targets.reduce((total, { weight }) => total + weight, 0);
  return targets.map(({ assignment, weight }) => {
    const label =
      known.find((target) => target.assignment === assignment)?.label ?? "Ended assignment";
    return targets.length === 1 ? label : `${label} ${Math.round((100 * weight) / sum)}%`;
  });
}
