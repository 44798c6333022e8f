import { permissions as meanings } from "@florin/contract/permissions.ts";
import { type Level, type Levels, levelsOf, type Resource, resources } from "./key-access.ts";

const labels: Readonly<Record<Level, string>> = { none: "None", read: "Read", write: "Write" };
const columns = ["none", "read", "write"] as const;

type Props = {
  readonly levels: Levels;
  readonly onChange: (resource: string, level: Level) => void;
};

/** The access of a key to each resource. For each resource, the person chooses none, read or write. */
export function KeyAccessTable({ levels, onChange }: Props) {
  return (
    <div className="divide-y divide-line rounded-md border border-line">
      {resources.map((resource) => (
        <Row
          key={resource.name}
          resource={resource}
          chosen={levels[resource.name] ?? "none"}
          onChange={(level) => onChange(resource.name, level)}
        />
      ))}
    </div>
  );
}

function Row({
  resource,
  chosen,
  onChange,
}: {
  resource: Resource;
  chosen: Level;
  onChange: (level: Level) => void;
}) {
  const offered = levelsOf(resource);
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
      <legend className="sr-only">{resource.label}</legend>
      <span aria-hidden="true" className="min-w-36 flex-1 text-sm">
        {resource.label}
      </span>
      <span className="grid grid-cols-3 gap-0.5 rounded-md bg-sunken p-0.5">
        {columns.map((level) =>
          offered.includes(level) ? (
            <label
              key={level}
              title={meaningOf(resource, level)}
              className="cursor-pointer rounded-sm px-2.5 py-0.5 text-center text-sm text-ink-soft has-checked:bg-accent-soft has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name={`access_${resource.name}`}
                checked={chosen === level}
                onChange={() => onChange(level)}
                className="sr-only"
              />
              {labels[level]}
            </label>
          ) : (
            <span key={level} className="px-2.5 py-0.5 text-center text-sm text-ink-faint">
              <span aria-hidden="true">—</span>
            </span>
          ),
        )}
      </span>
    </fieldset>
  );
}

function meaningOf({ read, write }: Resource, level: Level): string | undefined {
  const permission = { none: undefined, read, write }[level];
  return permission && meanings[permission];
}
