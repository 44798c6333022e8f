import type { OperatorAccountObject } from "@florin/contract/operator.ts";
import { Users } from "lucide-react";
import { useState } from "react";
import { Badge, inWords } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Table } from "../../components/table.tsx";
import { PersonCell } from "./person-cell.tsx";
import { ResetFactorDialog } from "./reset-factor-dialog.tsx";

/** The team of an account. Operators can reset the second factor of a member who lost it. */
export function Team({ account, team }: { account: string; team: OperatorAccountObject["team"] }) {
  const [person, setPerson] = useState<string | null>(null);
  return (
    <>
      <Table
        label="Team"
        rows={team}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Person",
            cell: ({ name, email }) => <PersonCell name={name} email={email} />,
          },
          {
            title: "Two-step verification",
            from: "sm",
            below: "title and cell",
            cell: ({ second_factor }) => (
              <Badge tone={second_factor ? "positive" : "neutral"}>
                {second_factor ? "Yes" : "No"}
              </Badge>
            ),
          },
          { title: "Role", cell: ({ role }) => inWords(role) },
          {
            title: "",
            align: "end",
            cell: ({ id, name, second_factor }) => (
              <Button
                small
                aria-label={`Reset two-step verification for ${name}`}
                unavailable={
                  second_factor ? null : "This person has not set up two-step verification."
                }
                onClick={() => setPerson(id)}
              >
                Reset two-step
              </Button>
            ),
          },
        ]}
        empty={
          <EmptyState icon={Users} title="No team members">
            This account is used with API keys only.
          </EmptyState>
        }
      />
      {person && (
        <ResetFactorDialog
          of={`/accounts/${account}/team/${person}`}
          onClose={() => setPerson(null)}
        />
      )}
    </>
  );
}
