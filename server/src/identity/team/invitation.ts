import type { Role } from "@florin/contract/roles.ts";
import type { Invitation as InvitationObject, InvitationStatus } from "@florin/contract/team.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type AccountId, createdAt, type InvitationId, type PersonId } from "../../core/ids.ts";
import type { Mail } from "../../platform/mail/mail.ts";

/** An invitation to a team, sent by mail. */
export type Invitation = {
  readonly id: InvitationId;
  readonly account: AccountId;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: PersonId;
  readonly expiresAt: Date;
  readonly acceptedAt: Date | null;
  readonly revokedAt: Date | null;
};

/** The lifetime of an invitation, long enough for a week of absence. */
export const invitationTtlMs = 7 * 24 * 60 * 60 * 1000;

export function statusOf(invitation: Invitation, now: Date): InvitationStatus {
  if (invitation.acceptedAt) return "accepted";
  if (invitation.revokedAt) return "revoked";
  return invitation.expiresAt <= now ? "expired" : "open";
}

export function invitationObject(
  invitation: Invitation,
  livemode: boolean,
  now: Date,
): InvitationObject {
  return {
    id: invitation.id,
    object: "invitation",
    livemode,
    created: unixSeconds(createdAt(invitation.id)),
    email: invitation.email,
    role: invitation.role,
    status: statusOf(invitation, now),
    invited_by: invitation.invitedBy,
    expires_at: unixSeconds(invitation.expiresAt),
  };
}

export function invitationEmail(
  origin: string,
  { email, role }: Pick<Invitation, "email" | "role">,
  from: { readonly person: string; readonly account: string },
  token: string,
): Mail {
  return {
    to: email,
    subject: `Join ${from.account}`,
    action: "Join the team",
    text: [
      `${from.person} invited you to join the team of ${from.account}. Your role will be ${role}. To accept the invitation, open this link within a week:`,
      `${origin}/dashboard/invitation#${token}`,
      "If you do not know this person, ignore this email.\n",
    ].join("\n\n"),
  };
}
