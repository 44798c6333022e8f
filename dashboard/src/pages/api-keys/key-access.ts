import { keyPermissions, type Permission } from "@florin/contract/permissions.ts";

/** The access of a key to one resource. Write includes read. */
export type Level = "none" | "read" | "write";

/**
 * A resource that the form for a new key shows, with the permission of each level. The form does not offer a level
 * without a permission.
 */
export type Resource = {
  readonly name: string;
  readonly label: string;
  readonly read?: Permission;
  readonly write?: Permission;
};

/** Every permission that a key can have, by resource. */
export const resources: readonly Resource[] = [
  { name: "payments", label: "Payments", read: "payments:read", write: "payments:write" },
  { name: "refunds", label: "Refunds", write: "refunds:write" },
  { name: "customers", label: "Customers", read: "customers:read", write: "customers:write" },
  { name: "disputes", label: "Disputes", read: "disputes:read", write: "disputes:write" },
  {
    name: "decisions",
    label: "Decisions, rules and lists",
    read: "decisions:read",
    write: "decisions:write",
  },
  { name: "reviews", label: "Reviews", write: "reviews:write" },
  { name: "balance", label: "Balance and payouts", read: "balance:read", write: "payouts:write" },
  { name: "webhooks", label: "Webhooks", read: "webhooks:read", write: "webhooks:write" },
  { name: "events", label: "Events", read: "events:read" },
  { name: "logs", label: "Request log", read: "logs:read" },
  { name: "account", label: "Account", read: "account:read", write: "account:write" },
  { name: "test_helpers", label: "Test helpers", write: "test_helpers:write" },
];

export type Levels = Readonly<Record<string, Level>>;

/** Returns the levels that a key can have for the resource. */
export function levelsOf({ read, write }: Resource): readonly Level[] {
  return ["none", ...(read ? (["read"] as const) : []), ...(write ? (["write"] as const) : [])];
}

/** Returns the permissions of the levels, in the order of the reference. */
export function permissionsOf(levels: Levels): Permission[] {
  const granted = new Set<Permission | undefined>();
  for (const { name, read, write } of resources) {
    const level = levels[name] ?? "none";
    if (level !== "none") granted.add(read);
    if (level === "write") granted.add(write);
  }
  return keyPermissions.filter((permission) => granted.has(permission));
}

const readAll: Levels = Object.fromEntries(
  resources.flatMap(({ name, read }) => (read ? [[name, "read" as const]] : [])),
);

/** Sets of levels for common purposes. Each is a starting point that the person can change. */
export const presets = {
  read_only: { label: "Read only", levels: readAll },
  accept_payments: {
    label: "Accept payments",
    levels: { payments: "write", refunds: "write", customers: "write", decisions: "read" },
  },
  reporting: {
    label: "Reporting",
    levels: { payments: "read", disputes: "read", balance: "read", events: "read" },
  },
  custom: { label: "Custom", levels: {} },
} as const satisfies Record<string, { readonly label: string; readonly levels: Levels }>;

export type Preset = keyof typeof presets;

/** Returns the preset with exactly these levels, or `custom`. */
export function presetOf(levels: Levels): Preset {
  const granted = permissionsOf(levels).join();
  const found = (Object.keys(presets) as Preset[]).find(
    (name) => name !== "custom" && permissionsOf(presets[name].levels).join() === granted,
  );
  return found ?? "custom";
}
