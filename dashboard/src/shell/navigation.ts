import type { Permission } from "@florin/contract/permissions.ts";
import {
  BadgeCheck,
  Bell,
  ChartLine,
  CopyCheck,
  CreditCard,
  FileCheck2,
  House,
  KeyRound,
  Landmark,
  ListChecks,
  type LucideIcon,
  Radio,
  Rocket,
  Scale,
  ScrollText,
  Settings,
  ShieldBan,
  ShieldCheck,
  Terminal,
  Undo2,
  Users,
  UsersRound,
  Wallet,
  Webhook,
} from "lucide-react";

/** A page in the sidebar and the command palette. */
export type Place = {
  readonly label: string;
  /** The part of the path after the account and mode. */
  readonly to: string;
  readonly icon: LucideIcon;
  /** The permission that a person needs to see the link. */
  readonly permission: Permission;
  /** More search words for the command palette. */
  readonly words?: string;
  /** The second key of the shortcut that opens the page, after G. */
  readonly key?: string;
};

export type Group = { readonly label: string | null; readonly places: readonly Place[] };

export const navigation: readonly Group[] = [
  {
    label: null,
    places: [
      {
        label: "Overview",
        to: "/",
        key: "h",
        icon: House,
        permission: "payments:read",
        words: "home",
      },
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
    label: "Payments",
    places: [
      {
        label: "Payments",
        to: "/payments",
        key: "p",
        icon: CreditCard,
        permission: "payments:read",
        words: "charges transactions",
      },
      {
        label: "Refunds",
        to: "/refunds",
        key: "r",
        icon: Undo2,
        permission: "payments:read",
        words: "money back",
      },
      {
        label: "Disputes",
        to: "/disputes",
        key: "d",
        icon: Scale,
        permission: "disputes:read",
        words: "chargebacks evidence inquiries",
      },
      {
        label: "Approval rates",
        to: "/approvals",
        key: "a",
        icon: ChartLine,
        permission: "payments:read",
        words: "insights declines success acquirers connections costs fees routing",
      },
      {
        label: "Customers",
        to: "/customers",
        key: "c",
        icon: Users,
        permission: "customers:read",
        words: "saved cards payment methods",
      },
    ],
  },
  {
    label: "Balance",
    places: [
      {
        label: "Balance",
        to: "/balance",
        key: "b",
        icon: Wallet,
        permission: "balance:read",
        words: "available pending statement ledger csv",
      },
      {
        label: "Payouts",
        to: "/payouts",
        key: "o",
        icon: Landmark,
        permission: "balance:read",
        words: "bank transfers",
      },
      {
        label: "Reconciliation",
        to: "/reconciliations",
        icon: FileCheck2,
        permission: "balance:read",
        words: "settlement acquirer differences",
      },
    ],
  },
  {
    label: "Risk",
    places: [
      {
        label: "Reviews",
        to: "/reviews",
        key: "v",
        icon: ShieldCheck,
        permission: "decisions:read",
        words: "queue approve decline decisions fraud",
      },
      {
        label: "Rules",
        to: "/rules",
        key: "u",
        icon: ListChecks,
        permission: "decisions:read",
        words: "expressions cel try fraud",
      },
      {
        label: "Lists",
        to: "/lists",
        icon: ShieldBan,
        permission: "decisions:read",
        words: "allow block fraud",
      },
    ],
  },
  {
    label: "Developers",
    places: [
      {
        label: "API keys",
        to: "/api-keys",
        key: "k",
        icon: KeyRound,
        permission: "keys:read",
        words: "secret restricted roll revoke",
      },
      {
        label: "Webhooks",
        to: "/webhooks",
        key: "w",
        icon: Webhook,
        permission: "webhooks:read",
        words: "endpoints deliveries secrets events",
      },
      {
        label: "Requests",
        to: "/requests",
        key: "l",
        icon: Terminal,
        permission: "logs:read",
        words: "log errors api bodies",
      },
      {
        label: "Events",
        to: "/events",
        key: "e",
        icon: Radio,
        permission: "events:read",
        words: "feed",
      },
    ],
  },
  {
    label: "Account",
    places: [
      {
        label: "Settings",
        to: "/settings",
        icon: Settings,
        permission: "account:write",
        words: "business name logo branding colors support statement descriptor time zone",
      },
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
        label: "Notifications",
        to: "/notifications",
        icon: Bell,
        permission: "account:read",
        words: "bell emails preferences alerts",
      },
      {
        label: "Team",
        to: "/team",
        key: "t",
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
