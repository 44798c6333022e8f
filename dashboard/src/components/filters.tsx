import * as Popover from "@radix-ui/react-popover";
import { Plus, X } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { noCursor } from "../api/use-list.ts";
import { type UrlQuery, useUrlQuery } from "../api/use-url-query.ts";
import { buttonStyle } from "./button.tsx";
import { fieldStyle } from "./field.tsx";
import { type Filter, type Input, namesOf } from "./filter.ts";

/**
 * The number of filters that are always shown. The other filters appear when they have a value, or after a press on
 * "More filters".
 */
const alwaysShown = 4;

/** The filters of a list. Each filter is a small form. Applied values are in the URL. */
export function Filters({ filters }: { filters: readonly Filter[] }) {
  const [values, change] = useUrlQuery();
  const [all, setAll] = useState(false);
  const set = filters.filter(({ shown }) => shown(values) !== null);
  const listed = all
    ? filters
    : filters.filter((one, index) => index < alwaysShown || set.includes(one));
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {listed.map((filter) => (
        <Pill key={filter.label} filter={filter} />
      ))}
      {listed.length < filters.length && (
        <button type="button" className={buttonStyle("quiet", true)} onClick={() => setAll(true)}>
          More filters
        </button>
      )}
      {set.length > 0 && (
        <button
          type="button"
          className={buttonStyle("quiet", true)}
          onClick={() => change({ ...clearedValues(filters), ...noCursor })}
        >
          Clear filters
        </button>
      )}
    </search>
  );
}

function clearedValues(filters: readonly Filter[]): Record<string, undefined> {
  return Object.fromEntries(namesOf(filters).map((name) => [name, undefined]));
}

function Pill({ filter }: { filter: Filter }) {
  const [open, setOpen] = useState(false);
  const [faults, setFaults] = useState<Faults>({});
  const [values, change] = useUrlQuery();
  const shown = filter.shown(values);
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const entered = Object.fromEntries(
      namesOf([filter]).map((name) => {
        const texts = form.getAll(name).map((value) => String(value).trim());
        return [name, texts.filter(Boolean).join(",") || undefined];
      }),
    );
    const wrong = faultsIn(filter, entered);
    setFaults(wrong);
    const [first] = Object.keys(wrong);
    if (first) return event.currentTarget.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    change({ ...entered, ...noCursor });
    setOpen(false);
  };
  const setOpenState = (isOpen: boolean) => {
    setFaults({});
    setOpen(isOpen);
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpenState}>
      <span
        className={`inline-flex h-7 max-w-full items-center rounded-full border border-line-strong text-sm ${shown ? "bg-surface" : "border-dashed"}`}
      >
        {shown && (
          <button
            type="button"
            aria-label={`Remove ${filter.label} filter`}
            onClick={() => change({ ...clearedValues([filter]), ...noCursor })}
            className="grid size-7 shrink-0 place-items-center rounded-full text-ink-soft hover:text-ink"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        )}
        <Popover.Trigger
          className={`inline-flex h-full min-w-0 items-center gap-1.5 rounded-full pr-3 ${shown ? "" : "pl-2 text-ink-soft hover:text-ink"}`}
        >
          {!shown && <Plus aria-hidden="true" className="size-3.5" />}
          {filter.label}
          {shown && <span className="truncate font-medium text-accent">{shown}</span>}
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
          {filter.presets && (
            <Presets
              presets={filter.presets}
              onChoose={(preset) => {
                change({ ...preset, ...noCursor });
                setOpenState(false);
              }}
            />
          )}
          <form onSubmit={apply} className="grid gap-3">
            {filter.inputs.map((input) => (
              <FilterInput
                key={input.name}
                input={input}
                value={values[input.name]}
                fault={faults[input.name]}
              />
            ))}
            <button type="submit" className={buttonStyle("primary", true)}>
              Apply
            </button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/**
 * Buttons that set a filter to a frequent value. This is a separate component, so that a closed filter computes no
 * presets.
 */
function Presets({
  presets,
  onChoose,
}: {
  presets: NonNullable<Filter["presets"]>;
  onChoose: (values: UrlQuery) => void;
}) {
  return (
    <div className="mb-3 grid grid-cols-2 gap-1.5">
      {presets().map(({ label, values }) => (
        <button
          key={label}
          type="button"
          className={buttonStyle("plain", true)}
          onClick={() => onChoose(values)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

type Faults = Readonly<Record<string, string>>;

/**
 * Returns the errors by input name. An invalid filter is not applied, because the list would only show an API error.
 */
function faultsIn(filter: Filter, entered: Readonly<Record<string, string | undefined>>): Faults {
  const found = filter.inputs.flatMap((input) => {
    const text = entered[input.name];
    const fault = input.kind !== "choices" && text !== undefined && input.fault?.(text);
    return fault ? [[input.name, fault]] : [];
  });
  return Object.fromEntries(found);
}

function FilterInput({
  input,
  value = "",
  fault,
}: {
  input: Input;
  value: string | undefined;
  fault: string | undefined;
}) {
  const id = useId();
  if (input.kind === "choices") {
    const chosen = value.split(",");
    return (
      <fieldset className="grid max-h-96 gap-1.5 overflow-y-auto">
        <legend className="mb-1.5 text-sm font-medium">{input.label}</legend>
        {input.choices.map(([one, label]) => (
          <label key={one} className="flex items-center gap-2">
            <input
              type={input.single ? "radio" : "checkbox"}
              name={input.name}
              value={one}
              defaultChecked={chosen.includes(one)}
              className="size-4 accent-accent"
            />
            {label}
          </label>
        ))}
      </fieldset>
    );
  }
  return (
    <label className="grid gap-1 text-sm font-medium">
      {input.label}
      <input
        type={input.kind}
        name={input.name}
        defaultValue={value}
        autoComplete="off"
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault && id}
        className={`${fieldStyle} h-8 font-normal`}
      />
      {fault && (
        <span id={id} role="alert" className="text-xs font-normal text-negative">
          {fault}
        </span>
      )}
      {input.hint && <span className="text-xs font-normal text-ink-soft">{input.hint}</span>}
    </label>
  );
}
