import { allPermissions, keyPermissions, type Permission } from "./permissions.ts";

/** A member's role in a team, which is a set of permissions. */
export type Role = "owner" | "admin" | "developer" | "support" | "analyst";

export type RoleDescription = {
  readonly meaning: string;
  readonly permissions: ReadonlySet<Permission>;
};

const reading = [
  "payments:read",
  "customers:read",
  "disputes:read",
  "decisions:read",
  "events:read",
  "account:read",
] as const satisfies Permission[];

/**
 * A developer can create keys with every key permission, so withholding some of these permissions from the developer
 * would protect nothing.
 */
export const roles: Readonly<Record<Role, RoleDescription>> = {
  owner: {
    meaning:
      "Owners have all permissions. Only an owner can make another member an owner. Every account has at least one owner.",
    permissions: new Set(allPermissions),
  },
  admin: {
    meaning: "Admins have all permissions, but they cannot add, change or remove an owner.",
    permissions: new Set(allPermissions),
  },
  developer: {
    meaning:
      "Developers build the integration. They have all permissions of a secret key, manage API keys, and copy settings to live mode. They can read the audit log, the list of team members and the application for live mode.",
    permissions: new Set([
      ...keyPermissions,
      "settings:copy",
      "audit:read",
      "keys:read",
      "keys:write",
      "team:read",
      "application:read",
    ]),
  },
  support: {
    meaning:
      "Support members help customers. They can read payments, decisions and events, and manage customers, refunds, disputes and reviews. They cannot see keys.",
    permissions: new Set([
      ...reading,
      "refunds:write",
      "customers:write",
      "disputes:write",
      "reviews:write",
    ]),
  },
  analyst: {
    meaning:
      "Analysts can read payments, customers, disputes, decisions, events and the balance. They cannot change anything.",
    permissions: new Set([...reading, "balance:read"]),
  },
};

export const roleNames = Object.keys(roles) as Role[];
