import type { Permission } from "@florin/contract/permissions.ts";

/** An action in the command palette. It opens the dialog that performs the action. */
export type Command = {
  readonly label: string;
  /** The path below account and mode. */
  readonly to: string;
  readonly permission: Permission;
  /** More search words. */
  readonly words?: string;
};

export const commands: readonly Command[] = [
  {
    label: "Create API key",
    to: "/api-keys?dialog=create",
    permission: "keys:write",
    words: "create key secret restricted new",
  },
  {
    label: "Add webhook endpoint",
    to: "/webhooks?dialog=create",
    permission: "webhooks:write",
    words: "create webhook new url",
  },
  {
    label: "Create customer",
    to: "/customers?dialog=create",
    permission: "customers:write",
    words: "add new",
  },
  {
    label: "Invite a team member",
    to: "/team?dialog=invite",
    permission: "team:write",
    words: "add person user colleague",
  },
  {
    label: "Add rule",
    to: "/rules?dialog=create",
    permission: "decisions:write",
    words: "create new fraud block",
  },
  {
    label: "Add list entry",
    to: "/lists?dialog=create",
    permission: "decisions:write",
    words: "block allow fraud email card",
  },
];
