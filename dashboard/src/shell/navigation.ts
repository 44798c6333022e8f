import type { Permission } from "@florin/contract/permissions.ts";
import {
  BadgeCheck,
  CopyCheck,
  CreditCard,
  House,
  KeyRound,
  type LucideIcon,
  Radio,
  Rocket,
  Scale,
  ScrollText,
  Terminal,
  Undo2,
  Users,
  UsersRound,
  Webhook,
} from "lucide-react";

/** A page that the sidebar and the command palette lead to. */
export type Place = {
  readonly label: string;
  /** Below the account and the mode. */
  readonly to: string;
  readonly icon: LucideIcon;
  /** Who may not see it is not shown the way. */
  readonly permission: Permission;
  /** Other words somebody may look for it by. */
  readonly words?: string;
};

export type Group = { readonly label: string | null; readonly places: readonly Place[] };

export const navigation: readonly Group[] = [
  {
    label: null,
    places: [
      { label: "Overview", to: "/", icon: House, permission: "payments:read", words: "home" },
      {
        label: "First payment",
        to: "/start",
        icon: Rocket,
        permission: "payments:write",
        words: "quick start playground card form embed webhook",
      },
    ],
  },
  {
    label: "Money",
    places: [
      {
        label: "Payments",
        to: "/payments",
        icon: CreditCard,
        permission: "payments:read",
        words: "charges transactions",
      },
      {
        label: "Refunds",
        to: "/refunds",
        icon: Undo2,
        permission: "payments:read",
        words: "money back",
      },
      {
        label: "Disputes",
        to: "/disputes",
        icon: Scale,
        permission: "disputes:read",
        words: "chargebacks evidence inquiries",
      },
      {
        label: "Customers",
        to: "/customers",
        icon: Users,
        permission: "customers:read",
        words: "saved cards payment methods",
      },
    ],
  },
  {
    label: "Developers",
    places: [
      {
        label: "API keys",
        to: "/api-keys",
        icon: KeyRound,
        permission: "keys:read",
        words: "secret restricted roll revoke",
      },
      {
        label: "Webhooks",
        to: "/webhooks",
        icon: Webhook,
        permission: "webhooks:read",
        words: "endpoints deliveries secrets events",
      },
      {
        label: "Requests",
        to: "/requests",
        icon: Terminal,
        permission: "logs:read",
        words: "log errors api bodies",
      },
      { label: "Events", to: "/events", icon: Radio, permission: "events:read", words: "feed" },
    ],
  },
  {
    label: "Account",
    places: [
      {
        label: "Going live",
        to: "/going-live",
        icon: BadgeCheck,
        permission: "application:read",
        words: "application underwriting live mode",
      },
      {
        label: "Copy settings",
        to: "/copy-settings",
        icon: CopyCheck,
        permission: "settings:copy",
        words: "test to live difference webhooks rules lists",
      },
      {
        label: "Team",
        to: "/team",
        icon: UsersRound,
        permission: "team:read",
        words: "members people roles invite",
      },
      {
        label: "Audit log",
        to: "/audit-log",
        icon: ScrollText,
        permission: "audit:read",
        words: "history who did what",
      },
    ],
  },
];
