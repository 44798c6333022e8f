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
      "Has all permissions, and is the only role that can make a member an owner. Every account has at least one owner.",
    permissions: new Set(allPermissions),
  },
  admin: {
    meaning: "Has all permissions, but cannot add, change or remove an owner.",
    permissions: new Set(allPermissions),
  },
  developer: {
    meaning:
      "For people who build the integration. Has all permissions of a secret key, manages API keys, and copies settings to live mode. Reads the audit log, the team and the application.",
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
      "For people who help customers. Reads payments, decisions and events, and manages customers, refunds, disputes and reviews. Cannot see keys.",
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
      "Reads payments, customers, disputes, decisions, events and the balance. Cannot change anything.",
    permissions: new Set([...reading, "balance:read"]),
  },
};

export const roleNames = Object.keys(roles) as Role[];
