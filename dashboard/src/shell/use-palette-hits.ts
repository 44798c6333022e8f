import type { SearchResult, SearchResults } from "@florin/contract/search.ts";
import {
  ArrowRight,
  CreditCard,
  Keyboard,
  Landmark,
  type LucideIcon,
  Scale,
  ToggleRight,
  Undo2,
  UserRound,
  Zap,
} from "lucide-react";
import { useEffect, useState } from "react";
import { useMay } from "../api/signed-in-person.ts";
import { useApi, useScopedPath } from "../api/use-api.ts";
import { useObject } from "../api/use-object.ts";
import { formatMoney } from "../components/amount.ts";
import { formatTime } from "../components/date-time.tsx";
import { statusLabel } from "../components/status-label.ts";
import { commands } from "./commands.ts";
import { navigation } from "./navigation.ts";
import { openShortcuts } from "./open-event.ts";
import { pageOfId } from "./page-of-id.ts";

/** An entry of the command palette. */
export type Hit = {
  readonly key: string;
  readonly icon: LucideIcon;
  readonly label: string;
  readonly hint: string;
  /** The path of the page below `/dashboard`, or a function that performs an action. */
  readonly open: string | (() => void);
};

export type Hits = {
  readonly groups: readonly { readonly label: string; readonly hits: readonly Hit[] }[];
  /**
   * True while the service's results for the current text have not arrived. Until then, the results belong to an
   * earlier text.
   */
  readonly pending: boolean;
};

/** The delay between the last key press and the request. */
const searchDelayMs = 150;
const minSearchLength = 2;

/** Returns the pages, actions and objects that match the text. */
export function usePaletteHits(text: string): Hits {
  const may = useMay();
  const address = useScopedPath();
  const { verb, sought } = parseText(text);
  const object = pageOfId(sought);
  const searched = useDebounced(sought, searchDelayMs);
  const isSearched = object === null && sought.length >= minSearchLength && may("payments:read");
  const { data, isFetching } = useObject<SearchResults>(
    isSearched && searched === sought ? "/search" : null,
    { query: searched },
  );
  const places = usePlaces(text);
  const results = (data?.data ?? [])
    .filter(({ type }) => !verb || type === "charge")
    .map((result) => resultHit(result, verb !== null && may("refunds:write"), address));
  const groups = [
    { label: "Go to object", hits: object ? objectHits(sought, object) : [] },
    { label: "Pages and actions", hits: verb ? [] : places },
    { label: verb ? "Refund a payment" : "Results", hits: isSearched ? results : [] },
  ];
  return {
    groups: groups.filter(({ hits }) => hits.length > 0),
    pending: isSearched && (searched !== sought || isFetching),
  };

  function objectHits(id: string, to: string): Hit[] {
    const open = { key: id, icon: ArrowRight, label: "Open", hint: id, open: address(to) };
    const refund = {
      key: `refund ${id}`,
      icon: Undo2,
      label: "Refund",
      hint: id,
      open: address(`${to}?dialog=refund`),
    };
    const mayRefund = id.startsWith("ch_") && may("refunds:write");
    if (verb && mayRefund) return [refund, open];
    return mayRefund ? [open, refund] : [open];
  }
}

/** Separates the verb of a text such as `Refund ch_…` from the object. */
function parseText(text: string): { verb: "refund" | null; sought: string } {
  const trimmed = text.trim();
  const [, object] = /^refund\s+(\S.*)$/i.exec(trimmed) ?? [];
  return object ? { verb: "refund", sought: object } : { verb: null, sought: trimmed };
}

function usePlaces(text: string): Hit[] {
  const may = useMay();
  const address = useScopedPath();
  const { scope } = useApi();
  const words = text.trim().toLowerCase().split(/\s+/);
  const matches = (names: string) => words.every((word) => names.toLowerCase().includes(word));
  const pages = navigation.flatMap(({ label: group, places }) =>
    places
      .filter(({ permission }) => may(permission))
      .filter(({ label, words: more = "" }) => matches(`go to ${label} ${more}`))
      .map(({ label, to, icon }) => ({
        key: to,
        icon,
        label,
        hint: group ?? "",
        open: address(to),
      })),
  );
  const actions = commands
    .filter(({ permission }) => may(permission))
    .filter(({ label, words: more = "" }) => matches(`${label} ${more}`))
    .map(({ label, to }) => ({ key: to, icon: Zap, label, hint: "Action", open: address(to) }));
  const other = scope.mode === "test" ? "live" : "test";
  const switchMode = `Switch to ${other} mode`;
  const shortcuts = "Keyboard shortcuts";
  const rest: Hit[] = [
    {
      key: "mode",
      icon: ToggleRight,
      label: switchMode,
      hint: "Action",
      open: `/${scope.account}/${other}`,
    },
    { key: "shortcuts", icon: Keyboard, label: shortcuts, hint: "?", open: openShortcuts },
  ];
  return [...pages, ...actions, ...rest.filter(({ label }) => matches(label))];
}

const pagesOfTypes: Readonly<
  Record<
    SearchResult["type"],
    { readonly path: string; readonly icon: LucideIcon; readonly name: string }
  >
> = {
  charge: { path: "/payments", icon: CreditCard, name: "Payment" },
  refund: { path: "/refunds", icon: Undo2, name: "Refund" },
  dispute: { path: "/disputes", icon: Scale, name: "Dispute" },
  customer: { path: "/customers", icon: UserRound, name: "Customer" },
  payout: { path: "/payouts", icon: Landmark, name: "Payout" },
};

function resultHit(result: SearchResult, refunds: boolean, address: (path: string) => string): Hit {
  const { type, id, amount, currency, last4, name, email, created } = result;
  const status = result.display_status ?? result.status;
  const { path, icon, name: typeName } = pagesOfTypes[type];
  const to = `${path}/${id}`;
  if (amount === null || currency === null) {
    const hint = name && email ? email : typeName;
    return { key: id, icon, label: name ?? email ?? id, hint, open: address(to) };
  }
  const label = [
    `${refunds ? "Refund " : ""}${formatMoney(amount, currency)}`,
    last4 ? `•••• ${last4}` : typeName,
    status && statusLabel(status),
  ];
  return {
    key: id,
    icon,
    label: label.filter(Boolean).join(" · "),
    hint: name ?? email ?? formatTime(created),
    open: address(refunds ? `${to}?dialog=refund` : to),
  };
}

/** Returns the text with a delay: a change takes effect when the text has not changed again for `delayMs`. */
function useDebounced(text: string, delayMs: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), delayMs);
    return () => clearTimeout(timer);
  }, [text, delayMs]);
  return settled;
}
