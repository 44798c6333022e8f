import { roles } from "@florin/contract/roles.ts";
import type { Invitation, Member } from "@florin/contract/team.ts";
import { MailPlus } from "lucide-react";
import type { ListOf } from "../../api/api.ts";
import { useMay, useMayChangeShared, useMe, useMembership } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { useUrlDialog } from "../../api/use-url-dialog.ts";
import { Badge, inWords, Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Ago, DateTime } from "../../components/date-time.tsx";
import { LiveModeOnlyNotice } from "../../components/live-mode-only-notice.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { type Column, ListTable, Table } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LeaveTeam } from "./leave-team.tsx";
import { MemberMenu } from "./member-menu.tsx";

/** The team of the account with each member's role. */
export function TeamPage() {
  const me = useMe();
  const may = useMay();
  const [dialog, setDialog] = useUrlDialog(["invite"], () => may("team:write"));
  const open = useMayChangeShared();
  const own = useMembership()?.role ?? "analyst";
  const members = useList<Member>("/members");
  const columns: readonly Column<Member>[] = [
    {
      title: "Person",
      cell: ({ name, email, person_id }) => (
        <span className="grid">
          <span className="font-medium wrap-anywhere">
            <bdi>{name}</bdi> {person_id === me.id && <span className="text-ink-soft">(you)</span>}
          </span>
          <span className="text-sm break-all text-ink-soft">{email}</span>
        </span>
      ),
    },
    {
      title: "Two-step verification",
      from: "md",
      below: "title and cell",
      cell: ({ has_second_factor }) =>
        has_second_factor ? <Badge tone="positive">Yes</Badge> : <Badge tone="warning">No</Badge>,
    },
    {
      title: "Last seen",
      from: "sm",
      below: ({ last_seen_at }) =>
        last_seen_at && (
          <>
            Last seen <Ago at={last_seen_at} />
          </>
        ),
      cell: ({ last_seen_at }) => (last_seen_at ? <Ago at={last_seen_at} /> : <NoValue />),
    },
    {
      title: "Role",
      cell: ({ role }) => <span title={roles[role].meaning}>{inWords(role)}</span>,
    },
    {
      title: "",
      align: "end",
      cell: (member) => <MemberMenu member={member} own={own} />,
    },
  ];
  return (
    <Page
      title="Team"
      lead="Test mode and live mode share the team. Live mode requires two-step verification."
      actions={
        open && (
          <>
            <LeaveTeam />
            <Button
              weight="primary"
              unavailable={may("team:write") ? null : "Only owners and admins can invite members."}
              onClick={() => setDialog("invite")}
            >
              Invite member
            </Button>
          </>
        )
      }
    >
      {!open && <LiveModeOnlyNotice what="the team" section="team" />}
      <Panel title="Members" flush>
        <ListTable label="Members" list={members} columns={columns} empty={null} />
      </Panel>
      <Invitations />
      <RoleMeanings />
      <InviteDialog own={own} open={dialog === "invite"} onClose={() => setDialog(null)} />
    </Page>
  );
}

const invitationColumns: readonly Column<Invitation>[] = [
  { title: "Email", cell: ({ email }) => <span className="break-all">{email}</span> },
  { title: "Role", cell: ({ role }) => inWords(role) },
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Expires",
    from: "sm",
    below: "title and cell",
    cell: ({ expires_at }) => <DateTime at={expires_at} />,
  },
  {
    title: "",
    align: "end",
    cell: (invitation) => <InvitationMenu invitation={invitation} />,
  },
];

function Invitations() {
  const { data, isPending, error } = useObject<ListOf<Invitation>>("/invitations", { limit: 25 });
  const rows = data?.data.filter(({ status }) => status === "open" || status === "expired") ?? [];
  return (
    <Panel title="Invitations" flush>
      <Table
        label="Invitations"
        columns={invitationColumns}
        rows={rows}
        keyOf={({ id }) => id}
        pending={isPending}
        problem={error}
        empty={
          <p className="flex items-center gap-2 p-4 text-ink-soft sm:p-5">
            <MailPlus aria-hidden="true" className="size-4" />
            No pending invitations
          </p>
        }
      />
    </Panel>
  );
}

function RoleMeanings() {
  return (
    <Panel title="Roles">
      <dl className="grid gap-3 sm:grid-cols-[8rem_1fr]">
        {Object.entries(roles).map(([role, { meaning }]) => (
          <div key={role} className="contents">
            <dt className="font-medium">{inWords(role)}</dt>
            <dd className="text-ink-soft max-sm:-mt-2">{meaning}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function InvitationMenu({ invitation }: { invitation: Invitation }) {
  const may = useMay();
  const open = useMayChangeShared();
  const revoke = useOperation<void, Invitation>(
    (api, _none, key) => api.post(`/invitations/${invitation.id}/revoke`, {}, key),
    { done: () => showToast(`Invitation for ${invitation.email} revoked.`) },
  );
  if (!open || !may("team:write")) return null;
  if (revoke.problem) return <Problem problem={revoke.problem} />;
  return (
    <Button small weight="danger" busy={revoke.pending} onClick={() => void revoke.run()}>
      Revoke
    </Button>
  );
}
