import type { Assignment, Assignments, Connection } from "@florin/contract/operator-connections.ts";
import { useState } from "react";
import { useAdminQuery } from "../../api/admin.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Id } from "../../components/id.tsx";
import { ActionsMenu, MenuItem } from "../../components/menu.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { AssignmentDialog } from "./assignment-dialog.tsx";
import { ReasonDialog, serviceLogHint } from "./reason-dialog.tsx";

const ending = {
  button: "End assignment",
  title: "End assignment",
  lead: "New charges of the account no longer use this connection. Refunds of existing charges continue.",
  done: "Assignment ended.",
  weight: "danger",
  hint: serviceLogHint,
} as const;

/** The accounts that are assigned to a connection. */
export function ConnectionAssignments({ connection }: { connection: Connection }) {
  const { id, state } = connection;
  const { data, isPending, error } = useAdminQuery<Assignments>("/assignments", { connection: id });
  const [assigning, setAssigning] = useState(false);
  const [changing, setChanging] = useState<Assignment | null>(null);
  const [ended, setEnded] = useState<Assignment | null>(null);
  const isClosed = state === "draining" || state === "retired";
  return (
    <Panel
      title="Assignments"
      flush
      actions={
        <Button
          small
          unavailable={isClosed ? "The connection accepts no new charges." : null}
          onClick={() => setAssigning(true)}
        >
          Assign account
        </Button>
      }
    >
      <Table
        label="Assignments"
        rows={data?.data ?? []}
        keyOf={(assignment) => assignment.id}
        pending={isPending}
        problem={error}
        columns={[
          {
            title: "Account",
            cell: ({ account }) => <Id id={account} brief to={`/operator/accounts/${account}`} />,
          },
          { title: "State", cell: (assignment) => <Status status={assignment.state} /> },
          {
            title: "Merchant account",
            from: "md",
            cell: ({ merchant_account }) => (
              <span className="wrap-anywhere">{merchant_account}</span>
            ),
          },
          { title: "MCC", from: "lg", cell: ({ mcc }) => mcc },
          { title: "Priority", from: "lg", align: "end", cell: ({ priority }) => priority },
          {
            title: "",
            align: "end",
            cell: (assignment) =>
              assignment.state === "active" && (
                <ActionsMenu of={`assignment ${assignment.id}`}>
                  <MenuItem onSelect={() => setChanging(assignment)}>Change</MenuItem>
                  <MenuItem danger onSelect={() => setEnded(assignment)}>
                    End
                  </MenuItem>
                </ActionsMenu>
              ),
          },
        ]}
        empty={
          <p className="px-4 py-4 text-ink-soft sm:px-5">
            No account is assigned. Live charges do not use this connection.
          </p>
        }
      />
      {data?.has_more && (
        <p className="px-4 py-3 text-sm text-ink-soft sm:px-5">Shows the 50 newest assignments.</p>
      )}
      {assigning && (
        <AssignmentDialog
          connection={connection}
          assignment={null}
          onClose={() => setAssigning(false)}
        />
      )}
      {changing && (
        <AssignmentDialog
          connection={connection}
          assignment={changing}
          onClose={() => setChanging(null)}
        />
      )}
      {ended && (
        <ReasonDialog
          path={`/assignments/${ended.id}/end`}
          words={ending}
          params={{ version: ended.version }}
          onClose={() => setEnded(null)}
        />
      )}
    </Panel>
  );
}
