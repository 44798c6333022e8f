import type { Health } from "@florin/contract/operator.ts";
import { Badge } from "../../components/badge.tsx";
import { Ago } from "../../components/date-time.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { CompactEmptyState } from "./compact-empty-state.tsx";
import { PersonCell } from "./person-cell.tsx";

/**
 * People who have not signed in for 90 days. PCI DSS 8.2.6 requires that inactive accounts are removed or disabled
 * within 90 days.
 */
export function InactivePeople({ people }: { people: Health["inactive_people"] }) {
  const more = people.total - people.data.length;
  return (
    <Panel
      title="Inactive people"
      lead={
        more > 0 ? `Showing ${people.data.length} of ${people.total}` : "Not signed in for 90 days"
      }
      flush
    >
      <Table
        label="Inactive people"
        rows={people.data}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Person",
            cell: ({ name, email, operator }) => (
              <PersonCell name={name} email={email}>
                {operator && <Badge tone="warning">Operator</Badge>}
              </PersonCell>
            ),
          },
          {
            title: "Last sign-in",
            align: "end",
            cell: ({ last_active }) => <Ago at={last_active} />,
          },
        ]}
        empty={
          <CompactEmptyState>Everyone has signed in within the last 90 days.</CompactEmptyState>
        }
      />
    </Panel>
  );
}
