import { type Role, roleNames } from "@florin/contract/roles.ts";
import { inWords } from "../../components/badge.tsx";
import type { Choice } from "../../components/field.tsx";

/** The roles that somebody of this role can give: only an owner makes owners. */
export function roleChoices(own: Role): Choice[] {
  return roleNames
    .filter((role) => role !== "owner" || own === "owner")
    .map((role) => [role, inWords(role)]);
}
