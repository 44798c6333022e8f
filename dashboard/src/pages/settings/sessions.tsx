import type { SignInSession } from "@florin/contract/person.ts";
import { auth } from "../../api/auth.ts";
import { useAuthOperation, useSignedInObject } from "../../api/use-auth.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Ago, DayAndTime } from "../../components/date-time.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { Table } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";

export function SessionsPanel() {
  const sessions = useSignedInObject<{ data: readonly SignInSession[] }>("/sessions");
  const end = useAuthOperation(
    (id: string) => auth.delete(`/sessions/${id}`),
    () => showToast("Session ended."),
  );
  const endOthers = useAuthOperation(
    () => auth.post("/sessions/sign_out_others"),
    () => showToast("Signed out everywhere else."),
  );
  const rows = sessions.data?.data ?? [];
  return (
    <Panel
      title="Sessions"
      flush
      actions={
        rows.length > 1 && (
          <Button small busy={endOthers.pending} onClick={() => void endOthers.run(undefined)}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      {end.problem && (
        <div className="px-5 pb-4">
          <Problem problem={end.problem} />
        </div>
      )}
      <Table
        label="Your sessions"
        rows={rows}
        pending={sessions.isPending}
        problem={sessions.error}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Browser",
            cell: ({ browser, current }) => (
              <span className="inline-flex flex-wrap items-center gap-2">
                {browser} {current && <Badge tone="positive">This browser</Badge>}
              </span>
            ),
          },
          {
            title: "IP address",
            from: "sm",
            below: "cell",
            cell: ({ ip }) => <span className="font-mono text-sm">{ip}</span>,
          },
          { title: "Signed in", from: "md", cell: ({ created }) => <DayAndTime at={created} /> },
          { title: "Last seen", cell: ({ last_seen }) => <Ago at={last_seen} /> },
          {
            title: "",
            align: "end",
            cell: ({ id, browser, current }) =>
              current ? null : (
                <Button
                  small
                  weight="quiet"
                  busy={end.pending}
                  aria-label={`Sign out ${browser}`}
                  onClick={() => void end.run(id)}
                >
                  Sign out
                </Button>
              ),
          },
        ]}
        empty={null}
      />
    </Panel>
  );
}
