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
 * A developer can create keys, which may have every key permission. Giving the developer fewer would protect nothing.
 */
export const roles: Readonly<Record<Role, RoleDescription>> = {
  owner: {
    meaning: "May do everything, and alone makes other owners. Every account has at least one.",
    permissions: new Set(allPermissions),
  },
  admin: {
    meaning: "May do everything but make, change or remove an owner.",
    permissions: new Set(allPermissions),
  },
  developer: {
    meaning: "Builds: keys, webhooks, logs, and whatever a secret key may do.",
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
    meaning: "Looks after customers: payments, refunds, disputes and reviews. Sees no keys.",
    permissions: new Set([
      ...reading,
      "refunds:write",
      "customers:write",
      "disputes:write",
      "reviews:write",
    ]),
  },
  analyst: {
    meaning: "Sees payments, decisions and the balance, and changes nothing.",
    permissions: new Set([...reading, "balance:read"]),
  },
};

export const roleNames = Object.keys(roles) as Role[];
