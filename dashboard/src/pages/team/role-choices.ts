import { type Role, roleNames } from "@florin/contract/roles.ts";
import { inWords } from "../../components/badge.tsx";
import type { SelectOption } from "../../components/select-option.ts";

/** Returns the roles that a role may assign. Only owners may assign the role owner. */
export function roleChoices(own: Role): SelectOption[] {
  return roleNames
    .filter((role) => role !== "owner" || own === "owner")
    .map((role) => [role, inWords(role)]);
}
