import type { Role } from "@florin/contract/roles.ts";
import type { Member as MemberObject } from "@florin/contract/team.ts";
import { ApiError } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type AccountId, createdAt, type MemberId, type PersonId } from "../../core/ids.ts";

/** A person in the team of an account. */
export type Member = {
  readonly id: MemberId;
  readonly account: AccountId;
  readonly person: PersonId;
  readonly role: Role;
};

/** A member with the fields that other members see. */
export type KnownMember = Member & {
  readonly name: string;
  readonly email: string;
  readonly hasSecondFactor: boolean;
  readonly lastSeenAt: Date | null;
};

/**
 * Rejects a change to `member` that the member `by` is not allowed to make. Only owners may change owners, and at least
 * one owner must remain. `next` is the member's new role, or null if the member leaves the team.
 */
export function assertTeamChangeAllowed(
  team: readonly Member[],
  by: Member,
  member: Member,
  next: Role | null,
): void {
  const concernsOwners = member.role === "owner" || next === "owner";
  if (concernsOwners && by.role !== "owner") {
    throw new ApiError(
      "permission_denied",
      "Only an owner can add, change or remove an owner. Ask an owner of the account.",
    );
  }
  const owners = team.filter(({ role }) => role === "owner").length;
  if (member.role === "owner" && next !== "owner" && owners === 1) {
    throw new ApiError(
      "owner_required",
      "This is the account's only owner. Make another member an owner first.",
    );
  }
}

export function memberObject(member: KnownMember, livemode: boolean): MemberObject {
  return {
    id: member.id,
    object: "member",
    livemode,
    created: unixSeconds(createdAt(member.id)),
    person_id: member.person,
    name: member.name,
    email: member.email,
    role: member.role,
    has_second_factor: member.hasSecondFactor,
    last_seen_at: member.lastSeenAt && unixSeconds(member.lastSeenAt),
  };
}
