import * as Popover from "@radix-ui/react-popover";
import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useAddressQuery } from "../api/use-address-query.ts";
import { noCursor } from "../api/use-list.ts";
import { buttonLook } from "./button.tsx";
import { type Choice, fieldLook } from "./field.tsx";

/** A filter of a list, by the name it has in the address and at the API. */
export type Filter =
  | {
      readonly kind: "choice";
      readonly name: string;
      readonly label: string;
      readonly choices: readonly Choice[];
    }
  | {
      readonly kind: "text";
      readonly name: string;
      readonly label: string;
      readonly hint?: string;
    }
  /** From and to, in days of the reader's own time zone. */
  | { readonly kind: "days"; readonly name: string; readonly label: string };

/** What narrows a list. Each is a small form of its own; what is set stands in the address. */
export function Filters({ filters }: { filters: readonly Filter[] }) {
  const [query, change] = useAddressQuery();
  const isSet = (filter: Filter) => namesOf(filter).some((name) => query[name]);
  const clear = Object.fromEntries(filters.flatMap(namesOf).map((name) => [name, undefined]));
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {filters.map((filter) => (
        <FilterPill key={filter.name} filter={filter} set={isSet(filter)} />
      ))}
      {filters.some(isSet) && (
        <button
          type="button"
          className={buttonLook("quiet", true)}
          onClick={() => change({ ...clear, ...noCursor })}
        >
          Clear filters
        </button>
      )}
    </search>
  );
}

function namesOf(filter: Filter): readonly string[] {
  return filter.kind === "days" ? [`${filter.name}_from`, `${filter.name}_to`] : [filter.name];
}

function FilterPill({ filter, set }: { filter: Filter; set: boolean }) {
  const [open, setOpen] = useState(false);
  const [query, change] = useAddressQuery();
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = namesOf(filter).map((name) => [name, form.getAll(name).join(",") || undefined]);
    change({ ...Object.fromEntries(given), ...noCursor });
    setOpen(false);
  };
  const reset = () =>
    change({
      ...Object.fromEntries(namesOf(filter).map((name) => [name, undefined])),
      ...noCursor,
    });
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <span
        className={`inline-flex h-7 items-center rounded-full border text-sm ${set ? "border-line-strong bg-surface" : "border-dashed border-line-strong"}`}
      >
        {set && (
          <button
            type="button"
            aria-label={`Remove the filter ${filter.label}`}
            onClick={reset}
            className="grid size-7 place-items-center rounded-full text-ink-soft hover:text-ink"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        )}
        <Popover.Trigger
          className={`inline-flex h-full items-center gap-1 rounded-full pr-3 ${set ? "" : "pl-2 text-ink-soft hover:text-ink"}`}
        >
          {!set && <Plus aria-hidden="true" className="size-3.5" />}
          {filter.label}
          {set && <span className="font-medium text-accent">{shownValue(filter, query)}</span>}
        </Popover.Trigger>
      </span>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={filter.label}
          className="z-40 w-64 rounded-md border border-line bg-surface p-3.5 shadow-raised"
        >
          <form onSubmit={apply} className="grid gap-3">
            <FilterFields filter={filter} />
            <button type="submit" className={buttonLook("primary", true)}>
              Apply
            </button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function FilterFields({ filter }: { filter: Filter }) {
  const [query] = useAddressQuery();
  if (filter.kind === "choice") {
    const chosen = (query[filter.name] ?? "").split(",");
    return (
      <fieldset className="grid max-h-72 gap-1.5 overflow-y-auto">
        <legend className="mb-1.5 text-sm font-medium">{filter.label}</legend>
        {filter.choices.map(([value, label]) => (
          <label key={value} className="flex items-center gap-2">
            <input
              type="checkbox"
              name={filter.name}
              value={value}
              defaultChecked={chosen.includes(value)}
              className="size-4 accent-accent"
            />
            {label}
          </label>
        ))}
      </fieldset>
    );
  }
  const type = filter.kind === "days" ? "date" : "text";
  const fields = namesOf(filter).map((name, place) => ({
    name,
    label: filter.kind === "days" ? ["From", "To"][place] : filter.label,
  }));
  return (
    <>
      {fields.map(({ name, label }) => (
        <label key={name} className="grid gap-1 text-sm font-medium">
          {label}
          <input
            type={type}
            name={name}
            defaultValue={query[name]}
            className={`${fieldLook} h-8 font-normal`}
          />
        </label>
      ))}
      {filter.kind === "text" && filter.hint && (
        <p className="text-xs text-ink-soft">{filter.hint}</p>
      )}
    </>
  );
}

function shownValue(filter: Filter, query: Readonly<Record<string, string | undefined>>): string {
  if (filter.kind === "days") {
    const [from, to] = namesOf(filter).map((name) => query[name]);
    if (from && to) return `${from} – ${to}`;
    return from ? `since ${from}` : `until ${to}`;
  }
  const value = query[filter.name] ?? "";
  if (filter.kind === "text") return value;
  const labels = new Map(filter.choices);
  return value
    .split(",")
    .map((one) => labels.get(one) ?? one)
    .join(", ");
}

/** The days of a filter as the API wants them: unix seconds, the last day included. */
export function daysQuery(name: string, query: Readonly<Record<string, string | undefined>>) {
  const [from, to] = [query[`${name}_from`], query[`${name}_to`]];
  return {
    ...(from && { [`${name}[gte]`]: midnight(from, 0) }),
    ...(to && { [`${name}[lt]`]: midnight(to, 1) }),
  };
}

function midnight(day: string, later: number): number {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return Math.floor(new Date(year, month - 1, date + later).getTime() / 1000);
}
