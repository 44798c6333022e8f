import { allPermissions, keyPermissions, type Permission } from "./permissions.ts";

/** What somebody is in a team; a role is a set of permissions. */
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
 * A developer makes keys, and a key of theirs may do all that keys may do. To give them less themselves would only be
 * for show.
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
