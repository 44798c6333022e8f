import type { ComparedSetting } from "@florin/contract/settings-copy.ts";
import type { ListEntry } from "../../risk/list-entry.ts";
import type { Rule } from "../../risk/rule.ts";
import type { WebhookEndpoint } from "../../webhooks/delivery/endpoint.ts";

/** The settings of one mode. */
export type Settings = {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly rules: readonly Rule[];
  readonly entries: readonly ListEntry[];
};

/** A test mode setting with its live counterpart. For a list, `missing` contains the entries that live mode lacks. */
export type Compared = { readonly shown: ComparedSetting } & (
  | {
      readonly kind: "webhook_endpoint";
      readonly test: WebhookEndpoint;
      readonly live: WebhookEndpoint | null;
    }
  | { readonly kind: "rule"; readonly test: Rule; readonly live: Rule | null }
  | { readonly kind: "list"; readonly missing: readonly ListEntry[] }
);

/**
 * Compares each test mode setting with live mode. Endpoints match by URL, rules by condition and outcome, and list
 * entries by value. Settings that exist only in live mode are left out, because a copy does not change them.
 */
export function compareSettings(
  test: Settings,
  live: Settings,
  /** Returns the reason why a URL is not allowed in live mode, or null if it is allowed. */
  whyNot: (url: string) => string | null,
): Compared[] {
  return [
    ...test.endpoints.map((endpoint) => compareEndpoint(endpoint, live.endpoints, whyNot)),
    ...test.rules.map((rule) => compareRule(rule, live.rules)),
    ...compareLists(test.entries, live.entries),
  ];
}

function compareEndpoint(
  test: WebhookEndpoint,
  others: readonly WebhookEndpoint[],
  whyNot: (url: string) => string | null,
): Compared {
  const live = others.find(({ url }) => url === test.url) ?? null;
  const differences = differ(endpointValues(test), live && endpointValues(live));
  const reason = live ? null : whyNot(test.url);
  const what = { key: test.id, kind: "webhook_endpoint", title: test.url } as const;
  return { kind: "webhook_endpoint", test, live, shown: shownAs(what, live, differences, reason) };
}

function compareRule(test: Rule, others: readonly Rule[]): Compared {
  const live =
    others.find(
      ({ expression, outcome }) => expression === test.expression && outcome === test.outcome,
    ) ?? null;
  const differences = differ(ruleValues(test), live && ruleValues(live));
  const title = `${test.outcome}: ${test.expression}`;
  const what = { key: test.id, kind: "rule", title } as const;
  return { kind: "rule", test, live, shown: shownAs(what, live, differences, null) };
}

/**
 * Compares a list as a single setting. A list is copied as a whole or not at all, because it may have ten thousand
 * entries.
 */
function compareLists(test: readonly ListEntry[], live: readonly ListEntry[]): Compared[] {
  const nameOf = ({ list, attribute }: ListEntry) => `${list}:${attribute}`;
  const known = new Set(live.map((entry) => `${nameOf(entry)}:${entry.value}`));
  const inLive = Map.groupBy(live, nameOf);
  return [...Map.groupBy(test, nameOf)].map(([key, entries]) => {
    const missing = entries.filter((entry) => !known.has(`${key}:${entry.value}`));
    const count = inLive.get(key)?.length ?? 0;
    const differences =
      missing.length === 0
        ? []
        : [{ field: "values", test: valuesOf(missing), live: count === 0 ? null : `${count}` }];
    const title = `${key.replace(":", " list, ").replaceAll("_", " ")}`;
    const shown = shownAs({ key, kind: "list", title }, count > 0 || null, differences, null);
    return { kind: "list", missing, shown };
  });
}

function shownAs(
  what: Pick<ComparedSetting, "key" | "kind" | "title">,
  live: unknown,
  differences: ComparedSetting["differences"],
  reason: string | null,
): ComparedSetting {
  const changed = live ? "different" : "new";
  const change = reason ? "impossible" : differences.length === 0 ? "same" : changed;
  return { ...what, change, differences: reason ? [] : differences, reason };
}

type SettingValues = Readonly<Record<string, string | null>>;

function differ(test: SettingValues, live: SettingValues | null): ComparedSetting["differences"] {
  return Object.entries(test)
    .filter(([field, value]) => !live || live[field] !== value)
    .filter(([, value]) => live || value !== null)
    .map(([field, value]) => ({ field, test: value, live: live?.[field] ?? null }));
}

function endpointValues({ enabledEvents, description, status }: WebhookEndpoint): SettingValues {
  return { enabled_events: [...enabledEvents].sort().join(", "), description, status };
}

function ruleValues({ status, description }: Rule): SettingValues {
  return { status, description };
}

const maxShown = 5;

function valuesOf(entries: readonly ListEntry[]): string {
  const first = entries.slice(0, maxShown).map(({ value }) => value);
  const more = entries.length - first.length;
  return `${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
