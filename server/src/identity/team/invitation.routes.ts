import assert from "node:assert/strict";
import { ListOf } from "@florin/contract/list.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { CreateInvitation, Invitation, ListInvitations } from "@florin/contract/team.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { newId, parseId } from "../../core/ids.ts";
import { auditEntryOf } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { type ApiRequest, created, ok, type Route, route } from "../../platform/http/route.ts";
import { queueMail } from "../../platform/mail/queue-mail.ts";
import { lockAccount, readAccount } from "../accounts/account.sql.ts";
import { assertStillPermitted } from "../accounts/assert-still-permitted.ts";
import { readMemberOf } from "../accounts/member.sql.ts";
import { readPerson } from "../people/person.sql.ts";
import { hashSecretText, newSecretText } from "../people/secret-text.ts";
import { mailBrandOf } from "./email-team.ts";
import {
  insertInvitation,
  isMember,
  listInvitations,
  readInvitation,
  revokeInvitation,
  revokeInvitationsOf,
} from "./invitation.sql.ts";
import {
  invitationEmail,
  invitationObject,
  invitationTtlMs,
  type Invitation as StoredInvitation,
  statusOf,
} from "./invitation.ts";
import type { TeamDeps } from "./member.routes.ts";

const url = "/api/v1/invitations";

/** Routes for sending and revoking invitations to the team. Invitations are accepted at `/auth/v1/invitations`. */
export function invitationRoutes(
  deps: TeamDeps & {
    /** The origin at which people's browsers reach the dashboard. */
    readonly browserAddress: () => string;
    /** False without a mail server. */
    readonly canMail: boolean;
  },
): Route[] {
  const { database, clock, idempotencyKeys } = deps;

  return [
    route({
      method: "POST",
      path: "/invitations",
      summary: "Invite a person to your team",
      permission: "team:write",
      stepUp: true,
      changesBothModes: true,
      body: CreateInvitation,
      response: Invitation,
      status: 201,
      handle: (request) =>
        idempotencyKeys.runInTransaction(request.scope, request.idempotency, async (tx) => {
          const invitation = await invite(tx, request);
          return created(invitationObject(invitation, request.scope.livemode, clock.now()));
        }),
    }),
    route({
      method: "GET",
      path: "/invitations",
      summary: "List invitations to your team",
      permission: "team:read",
      query: ListInvitations,
      response: ListOf(Invitation, url),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "inv");
        const rows = await listInvitations(database.read, scope.account, page);
        const now = clock.now();
        return ok(listPage(rows, page, url, (one) => invitationObject(one, scope.livemode, now)));
      },
    }),
    route({
      method: "POST",
      path: "/invitations/:id/revoke",
      summary: "Revoke an invitation",
      permission: "team:write",
      changesBothModes: true,
      body: NoParameters,
      response: Invitation,
      status: 200,
      handle: (request) =>
        idempotencyKeys.runInTransaction(request.scope, request.idempotency, async (tx) => {
          const invitation = await revoke(tx, request);
          return ok(invitationObject(invitation, request.scope.livemode, clock.now()));
        }),
    }),
  ];

  async function invite(tx: Tx, request: ApiRequest<CreateInvitation>): Promise<StoredInvitation> {
    const { scope, actor, body } = request;
    if (!deps.canMail) throw noMail();
    assert(actor.kind === "person", "invitation: created by a key");
    await assertStillPermitted(tx, request, "team:write");
    // Locks the account, so that the second of two concurrent invitations to one address revokes the first.
    await lockAccount(tx, scope.account);
    const by = await readMemberOf(tx, scope.account, actor.id);
    if (body.role === "owner" && by?.role !== "owner") {
      throw new ApiError(
        "permission_denied",
        "Only an owner can invite another owner. Ask an owner to send this invitation.",
      );
    }
    if (await isMember(tx, scope.account, body.email)) {
      throw new ApiError(
        "resource_already_exists",
        `\`email\` ${body.email} belongs to a member of the team. Send the address of another person.`,
        {
          param: "email",
        },
      );
    }
    const now = clock.now();
    const invitation: StoredInvitation = {
      id: newId("inv", now),
      account: scope.account,
      email: body.email,
      role: body.role,
      invitedBy: actor.id,
      expiresAt: new Date(now.getTime() + invitationTtlMs),
      acceptedAt: null,
      revokedAt: null,
    };
    const token = newSecretText();
    await revokeInvitationsOf(tx, scope.account, body.email, now);
    await insertInvitation(tx, invitation, hashSecretText(token));
    const [person, account] = [
      await readPerson(tx, actor.id),
      await readAccount(tx, scope.account),
    ];
    const from = { person: person?.name ?? actor.name, account: account?.name ?? "a merchant" };
    const invitationMail = invitationEmail(deps.browserAddress(), invitation, from, token);
    await queueMail(
      tx,
      { ...invitationMail, brand: account && mailBrandOf(account) },
      { kind: "invitation", account: scope.account },
      now,
    );
    await record(tx, request, "invitation.created", invitation);
    return invitation;
  }

  async function revoke(tx: Tx, request: ApiRequest): Promise<StoredInvitation> {
    const text = request.params.id ?? "";
    const id = parseId("inv", text);
    const { account } = request.scope;
    const known = id && (await readInvitation(tx, account, id));
    if (!id || !known) throw noSuch("invitation", text);
    const now = clock.now();
    const revoked = await revokeInvitation(tx, account, id, now);
    if (!revoked) {
      throw new ApiError(
        "status_transition_invalid",
        `The invitation '${id}' is '${statusOf(known, now)}'. It must be 'open' to be revoked.`,
        { param: "id" },
      );
    }
    await record(tx, request, "invitation.revoked", revoked);
    return revoked;
  }

  async function record(
    tx: Tx,
    request: ApiRequest,
    action: "invitation.created" | "invitation.revoked",
    { id, email, role }: StoredInvitation,
  ): Promise<void> {
    const values = { email, role };
    const change = action === "invitation.created" ? { after: values } : { before: values };
    const entry = auditEntryOf(request, { livemode: null, action, object: id, ...change });
    await recordAuditEntry(tx, entry, clock);
  }
}

function noMail(): ApiError {
  return new ApiError(
    "mail_not_configured",
    "An invitation requires email, but no mail server is configured. Ask the operator to set `FLORIN_SMTP_URL`.",
  );
}
