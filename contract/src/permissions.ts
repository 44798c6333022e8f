/**
 * Every permission with its meaning. Each endpoint requires one. A person has those of their role, a restricted key
 * those it was given, and a secret key all that keys can have.
 */
export const permissions = {
  "payments:read": "See payments and checkout sessions, their cards and their refunds.",
  "payments:write": "Charge, capture, cancel, and open checkout sessions.",
  "refunds:write": "Give money back.",
  "customers:read": "See customers and their saved cards.",
  "customers:write": "Change customers and their saved cards.",
  "disputes:read": "See disputes.",
  "disputes:write": "Answer disputes, or accept them.",
  "decisions:read": "See decisions, rules and lists.",
  "decisions:write": "Ask for decisions; change rules and lists.",
  "reviews:write": "Approve or decline payments that wait for a person.",
  "balance:read": "See the balance, what moved it, payouts and reconciliations.",
  "payouts:write": "Pay out, and reconcile a day anew.",
  "webhooks:read": "See webhook endpoints and deliveries.",
  "webhooks:write": "Change webhook endpoints and their secrets; send again.",
  "events:read": "See events.",
  "logs:read": "See the requests that were made, and what was sent and answered.",
  "test_helpers:write": "Let things happen in test mode.",
  "account:read": "See the account.",
  "account:write": "Change the account's settings.",
  "settings:copy": "Copy settings from test to live mode.",
  "audit:read": "See who did what.",
  "keys:read": "See API keys, though never their secrets.",
  "keys:write": "Make, roll and revoke API keys.",
  "team:read": "See who is in the team.",
  "team:write": "Invite people, change their roles, remove them.",
  "application:read": "See the application for live mode.",
  "application:write": "Fill in the application for live mode, and submit it.",
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

/** The permissions of a secret key, which a restricted key can have a part of. */
export const keyPermissions = allPermissions.filter((permission) => !ofPeople.has(permission));
