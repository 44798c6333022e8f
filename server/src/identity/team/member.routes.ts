import assert from "node:assert/strict";
import { ListOf } from "@florin/contract/list.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { roles } from "@florin/contract/roles.ts";
import { ListMembers, Member, MemberDeleted, UpdateMember } from "@florin/contract/team.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { type MemberId, parseId } from "../../core/ids.ts";
import { auditEntryOf } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { type ApiRequest, ok, type Route, route } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import {
  deleteMember,
  listMembers,
  lockTeam,
  readMember,
  updateMemberRole,
} from "../accounts/member.sql.ts";
import {
  assertTeamChangeAllowed,
  memberObject,
  type Member as TeamMember,
} from "../accounts/member.ts";
import { revokeInvitationsBy } from "./invitation.sql.ts";

export type TeamDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
};

const url = "/api/v1/members";

/** Routes for the members of the team and their roles. The team is the same in both modes. */
export function memberRoutes({ database, clock, idempotencyKeys }: TeamDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/members",
      summary: "List the members of your team",
      permission: "team:read",
      query: ListMembers,
      response: ListOf(Member, url),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "mem");
        const members = await listMembers(database.read, scope.account, page);
        return ok(listPage(members, page, url, (member) => memberObject(member, scope.livemode)));
      },
    }),
    route({
      method: "POST",
      path: "/members/:id",
      summary: "Update a member's role",
      permission: "team:write",
      stepUp: true,
      changesBothModes: true,
      body: UpdateMember,
      response: Member,
      status: 200,
      handle: (request) =>
        idempotencyKeys.runInTransaction(request.scope, request.idempotency, async (tx) => {
          const { team, by, member } = await teamOf(tx, request, idIn(request));
          assertMayChangeTeam(by);
          const { role } = request.body;
          assertTeamChangeAllowed(team, by, member, role);
          await updateMemberRole(tx, { ...member, role });
          await revokeInvitationsBy(tx, member.account, member.person, clock.now());
          const change = { before: { role: member.role }, after: { role } };
          await record(tx, request, "member.role_changed", member, change);
          const known = await readMember(tx, member.account, member.id);
          assert(known, "member: a locked row is missing");
          return ok(memberObject(known, request.scope.livemode));
        }),
    }),
    route({
      method: "DELETE",
      path: "/members/:id",
      summary: "Remove a member from your team",
      permission: "team:write",
      stepUp: true,
      changesBothModes: true,
      response: MemberDeleted,
      status: 200,
      handle: (request) =>
        database.transactionOf(request.scope, (tx) => remove(tx, request, idIn(request))),
    }),
    route({
      method: "POST",
      path: "/team/leave",
      summary: "Leave the team",
      // Leaving requires only this permission, which every role has, so that every member can leave.
      permission: "account:read",
      peopleOnly: true,
      changesBothModes: true,
      body: NoParameters,
      response: MemberDeleted,
      status: 200,
      handle: (request) => database.transactionOf(request.scope, (tx) => remove(tx, request, null)),
    }),
  ];

  /** Removes the member, or the caller when `id` is null. */
  async function remove(tx: Tx, request: ApiRequest, id: MemberId | null) {
    const { team, by, member } = await teamOf(tx, request, id);
    if (id !== null) assertMayChangeTeam(by);
    assertTeamChangeAllowed(team, by, member, null);
    await deleteMember(tx, member);
    // Revokes the invitations that a removed member sent, so that the member can use none of them to return or to bring
    // in another person.
    await revokeInvitationsBy(tx, member.account, member.person, clock.now());
    const action = member.id === by.id ? "member.left" : "member.removed";
    await record(tx, request, action, member, { before: { role: member.role } });
    return ok({ id: member.id, object: "member", deleted: true });
  }

  async function record(
    tx: Tx,
    request: ApiRequest,
    action: "member.role_changed" | "member.removed" | "member.left",
    { id, person }: TeamMember,
    change: { before: object; after?: object },
  ): Promise<void> {
    const before = { person, ...change.before };
    const after = change.after ? { person, ...change.after } : null;
    const entry = auditEntryOf(request, { livemode: null, action, object: id, before, after });
    await recordAuditEntry(tx, entry, clock);
  }
}

/** Locks and returns the team, the caller and the member in question. */
async function teamOf(tx: Tx, { scope, actor }: ApiRequest, id: MemberId | null) {
  const team = await lockTeam(tx, scope.account);
  const by = team.find(({ person }) => person === actor.id);
  // `by` is missing if the caller is an API key, or a person whom a concurrent request removed.
  if (!by)
    throw new ApiError(
      "permission_denied",
      "Only members of the team can change or leave the team. Sign in as a member.",
    );
  const member = id === null ? by : team.find((one) => one.id === id);
  if (!member) throw noSuch("member", id ?? "");
  return { team, by, member };
}

/** Rejects the change of a member whose role was changed since the request was authenticated. */
function assertMayChangeTeam({ role }: TeamMember): void {
  if (roles[role].permissions.has("team:write")) return;
  throw new ApiError(
    "permission_denied",
    "Your role was changed before the request was processed. Reload the page.",
  );
}

function idIn({ params }: ApiRequest): MemberId {
  const id = parseId("mem", params.id ?? "");
  if (!id) throw noSuch("member", params.id ?? "");
  return id;
}
