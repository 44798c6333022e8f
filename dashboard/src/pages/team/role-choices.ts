import { type Role, roleNames } from "@florin/contract/roles.ts";
import { inWords } from "../../components/badge.tsx";
import type { Choice } from "../../components/field.tsx";

/** Returns the roles that a role may assign. Only owners may assign the role owner. */
export function roleChoices(own: Role): Choice[] {
  return roleNames
    .filter((role) => role !== "owner" || own === "owner")
    .map((role) => [role, inWords(role)]);
}
