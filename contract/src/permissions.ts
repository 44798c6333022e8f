/**
 * Every permission with its meaning. Each endpoint requires one permission. A person has the permissions of their role.
 * A restricted key has the permissions that were selected for it. A secret key has all permissions that keys can have.
 */
export const permissions = {
  "payments:read": "Read payments and checkout sessions, with their cards and refunds.",
  "payments:write":
    "Create checkout sessions and charges, capture or cancel charges, and change the team's saved views.",
  "refunds:write": "Create refunds.",
  "customers:read": "Read customers, their saved cards and the receipts that were sent to them.",
  "customers:write":
    "Create, change and delete customers and their saved cards, and email receipts to customers.",
  "disputes:read": "Read disputes.",
  "disputes:write": "Respond to disputes, or accept them.",
  "decisions:read": "Read decisions, rules and lists.",
  "decisions:write": "Request decisions, and change rules and lists.",
  "reviews:write": "Approve or decline payments in review.",
  "balance:read":
    "Read the balance, balance transactions, payouts, reconciliations and the ledger transfers of charges.",
  "payouts:write": "Create payouts, and start reconciliations.",
  "webhooks:read": "Read webhook endpoints and deliveries.",
  "webhooks:write":
    "Create, change and delete webhook endpoints, roll their secrets, and resend deliveries.",
  "events:read":
    "Read events. An event also requires the permission to read its object, such as `balance:read` for a payout.",
  "logs:read": "Read the request log, with bodies and responses.",
  "test_helpers:write": "Simulate events in test mode.",
  "account:read": "Read the account.",
  "account:write": "Change the account's settings.",
  "settings:copy": "Copy settings from test to live mode.",
  "audit:read": "Read the audit log.",
  "keys:read": "Read API keys, without their secrets.",
  "keys:write": "Create, roll and revoke API keys.",
  "team:read": "Read the members of the team.",
  "team:write": "Invite people, change their roles, and remove them.",
  "application:read": "Read the application for live mode.",
  "application:write": "Fill in and submit the application for live mode.",
} as const;

export type Permission = keyof typeof permissions;
export const allPermissions = Object.keys(permissions) as Permission[];

/**
 * Permissions that only people have. A stolen key must not be able to create keys or invite people, and only a person
 * can vouch for an application.
 */
const ofPeople: ReadonlySet<Permission> = new Set<Permission>([
  "settings:copy",
  "audit:read",
  "keys:read",
  "keys:write",
  "team:read",
  "team:write",
  "application:read",
  "application:write",
]);

/** The permissions of a secret key. A restricted key has a subset of them. */
export const keyPermissions = allPermissions.filter((permission) => !ofPeople.has(permission));
