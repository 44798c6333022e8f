import Type, { type Static } from "typebox";
import { id } from "./ids.ts";
import { listQuery } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime } from "./object-fields.ts";
import { linkToken } from "./person.ts";
import { roleNames } from "./roles.ts";
import { properName } from "./text.ts";
import { emailAddress } from "./web-address.ts";

const role = (description: string) => Type.Enum([...roleNames], { description });

/** A member of an account's team. */
export const Member = Type.Object(
  {
    ...objectFields("mem", "member"),
    person_id: id("per", "Person behind the membership."),
    name: Type.String({ description: "Name of the person." }),
    email: Type.String({ description: "Email address of the person." }),
    role: role("Role of the member."),
    has_second_factor: Type.Boolean({
      description:
        "True if the person has a passkey or an authenticator app. Live mode requires one.",
    }),
    last_seen_at: nullable(
      unixTime("Time of the last activity in the dashboard", "Null if the person has no session."),
    ),
  },
  { description: "A person in your team. Both modes share the team." },
);
export type Member = Static<typeof Member>;

export const UpdateMember = Type.Object(
  { role: role("New role of the member.") },
  { additionalProperties: false },
);
export type UpdateMember = Static<typeof UpdateMember>;

export const ListMembers = listQuery({});
export type ListMembers = Static<typeof ListMembers>;

export const MemberDeleted = Type.Object(
  {
    id: id("mem", "ID of the removed member."),
    object: Type.Literal("member", { description: "Always `member`." }),
    deleted: Type.Literal(true, { description: "Always `true`." }),
  },
  { description: "Removed member." },
);
export type MemberDeleted = Static<typeof MemberDeleted>;

export const invitationStatuses = ["open", "accepted", "expired", "revoked"] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** An invitation to the team, sent by email. */
export const Invitation = Type.Object(
  {
    ...objectFields("inv", "invitation"),
    email: Type.String({ description: "Email address of the invited person." }),
    role: role("Role after acceptance."),
    status: Type.Enum([...invitationStatuses], {
      description: "Status of the invitation. Only an `open` invitation can be accepted.",
    }),
    invited_by: id("per", "Person who sent the invitation."),
    expires_at: unixTime("Time until which the invitation can be accepted"),
  },
  { description: "Invitation to your team, sent by email." },
);
export type Invitation = Static<typeof Invitation>;

export const CreateInvitation = Type.Object(
  {
    email: emailAddress("Email address of the person to invite."),
    role: role("Role after acceptance."),
  },
  { additionalProperties: false },
);
export type CreateInvitation = Static<typeof CreateInvitation>;

export const ListInvitations = listQuery({});
export type ListInvitations = Static<typeof ListInvitations>;

/** The details of an invitation, for the person who opens its link. */
export const InvitationPreview = Type.Object({
  object: Type.Literal("invitation"),
  email: Type.String(),
  role: Invitation.properties.role,
  account_name: Type.String(),
  invited_by: Type.String(),
  /** True if a user with the email address exists. The user then only needs to sign in to accept the invitation. */
  is_known: Type.Boolean(),
});
export type InvitationPreview = Static<typeof InvitationPreview>;

/** The account that the person has joined. The dashboard switches to this account. */
export const Joined = Type.Object({
  object: Type.Literal("membership"),
  account_id: Type.String(),
  role: Invitation.properties.role,
});

export const ReadInvitation = Type.Object({ token: linkToken() }, { additionalProperties: false });
export type ReadInvitation = Static<typeof ReadInvitation>;

/** A signed-in person accepts the invitation. */
export const AcceptInvitation = Type.Object(
  { token: linkToken() },
  { additionalProperties: false },
);
export type AcceptInvitation = Static<typeof AcceptInvitation>;

/** A new person signs up and accepts the invitation. */
export const SignUpByInvitation = Type.Object(
  {
    token: linkToken(),
    name: properName(200, "Your name, as your team sees it."),
    password: Type.String({ minLength: 1, maxLength: 256, description: "Your password." }),
  },
  { additionalProperties: false },
);
export type SignUpByInvitation = Static<typeof SignUpByInvitation>;
