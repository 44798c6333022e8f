import type { Role } from "@florin/contract/roles.ts";
import type { AccountId, MemberId, PersonId } from "../primitives/ids.ts";

/** A person in the team of an account. */
export type Member = {
  readonly id: MemberId;
  readonly account: AccountId;
  readonly person: PersonId;
  readonly role: Role;
};
