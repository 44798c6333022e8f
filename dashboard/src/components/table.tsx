import type { Count } from "@florin/contract/list.ts";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { ApiProblem } from "../api/problem.ts";
import { useScopedPath } from "../api/use-api.ts";
import type { ListPage } from "../api/use-list.ts";
import { Button } from "./button.tsx";
import { AppLink } from "./link.tsx";
import { LoadError } from "./load-error.tsx";
import { formatCount } from "./numbers.ts";
import { Skeleton } from "./skeleton.tsx";

export type Column<Row> = {
  /** Empty for a column of buttons. */
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "end";
  /** True for a column that is hidden until the person selects it in the column menu. */
  readonly hidden?: true;
  /** The minimum table width that shows the column. Default: always shown. */
  readonly from?: keyof typeof breakpoints;
  /**
   * The content that is shown if the table is too narrow for the column: the cell, its title and the cell, or a shorter
   * cell. It is shown as a second line in the nearest column to the left that is always shown. If the shorter cell is
   * null, nothing is shown.
   */
  readonly below?: "cell" | "title and cell" | ((row: Row) => ReactNode);
};

type Props<Row> = {
  /** The table's name for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The path of a row's page, below account and mode. The whole row links to it. */
  readonly to?: (row: Row) => string;
  readonly pending?: boolean;
  readonly stale?: boolean;
  readonly problem?: ApiProblem | null;
  /** Shown when there are no rows. */
  readonly empty: ReactNode;
};

/**
 * Breakpoints of the table's own width, because a wide window can leave a narrow table beside a sidebar. A phone is
 * below the first breakpoint. A window of 1024 px with the sidebar reaches the third, and one of 1280 px the last.
 */
const breakpoints = {
  sm: "@max-md:hidden",
  md: "@max-xl:hidden",
  lg: "@max-[44rem]:hidden",
  xl: "@max-3xl:hidden",
  xxl: "@max-[58rem]:hidden",
} as const;

/** The opposite of `breakpoints`, for the lines that replace hidden columns. */
const belowBreakpoints: Readonly<Record<keyof typeof breakpoints, string>> = {
  sm: "@md:hidden",
  md: "@xl:hidden",
  lg: "@[44rem]:hidden",
  xl: "@3xl:hidden",
  xxl: "@[58rem]:hidden",
};

/** A table. Arrow keys or J and K move between rows, and Enter opens one. */
export function Table<Row>(props: Props<Row>) {
  const { label, columns, rows, keyOf, to, pending, stale, problem, empty } = props;
  const address = useScopedPath();
  const body = useRef<HTMLTableSectionElement>(null);

  const moveFocus = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (!step || event.metaKey || event.ctrlKey || event.altKey) return;
    const links = [...(body.current?.querySelectorAll<HTMLElement>("a[data-row]") ?? [])];
    const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };

  const unread = problem && (
    <div className="p-4">
      <LoadError problem={problem} />
    </div>
  );
  if (!pending && rows.length === 0) return unread ?? empty;
  // A narrow table can hide the columns after this one, so this column or any after it can be the last visible one.
  const lastAlwaysShown = columns.findLastIndex(({ from }) => !from);
  const edge = (index: number) => (index >= lastAlwaysShown ? "pr-4 sm:pr-5" : "");
  // A first column of amounts is as narrow as its content, so that the amounts begin at the edge of the table.
  const width = (index: number) => (index === 0 && columns[0]?.align ? "w-px" : "");
  const linesBelow = columns.map((_, index) => replacedColumns(columns, index));
  // Rows from an earlier read stay below the error.
  return (
    <>
      {unread}
      <ScrollContainer label={label} busy={pending || stale}>
        <table className={`w-full border-collapse text-left ${stale ? "opacity-60" : ""}`}>
          <caption className="sr-only">{label}</caption>
          <thead>
            <tr>
              {columns.map(({ title, align, from }, index) => (
                <th
                  key={title}
                  scope="col"
                  className={`border-b border-line px-2 py-2 text-xs sm:px-3 font-medium whitespace-nowrap text-ink-soft first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5 ${edge(index)} ${width(index)} ${align ? "text-right" : ""} ${from ? breakpoints[from] : ""}`}
                >
                  {/* A column of buttons needs no visible title, but screen readers need a name. */}
                  {title || <span className="sr-only">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body} onKeyDown={moveFocus}>
            {pending && <PendingRows columns={columns.length} />}
            {rows.map((row) => (
              <tr
                key={keyOf(row)}
                className={`relative border-b border-line last:border-0 ${to ? "hover:bg-hover has-[a[data-row]:focus-visible]:bg-hover" : ""}`}
              >
                {columns.map(({ title, cell, align, from }, index) => (
                  <td
                    key={title}
                    className={`px-2 py-2 align-middle @max-xl:align-baseline sm:px-3 first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5 ${edge(index)} ${align ? "text-right" : ""} ${from ? breakpoints[from] : ""}`}
                  >
                    {to && index === 0 ? (
                      <AppLink
                        to={address(to(row))}
                        data-row=""
                        className="after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
                      >
                        {cell(row)}
                      </AppLink>
                    ) : (
                      cell(row)
                    )}
                    {linesBelow[index]?.map((column) => (
                      <LineBelow key={column.title} column={column} row={row} />
                    ))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollContainer>
    </>
  );
}

/** Returns the columns whose cells are shown below this one in a narrow table. */
function replacedColumns<Row>(
  columns: readonly Column<Row>[],
  index: number,
): readonly Column<Row>[] {
  if (columns[index]?.from) return [];
  const next = columns.findIndex(({ from }, other) => other > index && !from);
  return columns.slice(index + 1, next === -1 ? columns.length : next).filter(({ below }) => below);
}

function LineBelow<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { title, cell, from, below } = column;
  const content = typeof below === "function" ? below(row) : cell(row);
  if (!from || content === null) return null;
  return (
    <div className={`mt-0.5 text-sm text-ink-soft ${belowBreakpoints[from]}`}>
      {below === "title and cell" && `${title}: `}
      {content}
    </div>
  );
}

/**
 * The table's container. If the table is wider than the container, the container can be focused, so that the arrow keys
 * scroll it, and has a name for screen readers.
 */
function ScrollContainer({
  label,
  busy,
  children,
}: {
  label: string;
  busy: boolean | undefined;
  children: ReactNode;
}) {
  const [wider, setWider] = useState(false);
  const here = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const container = here.current;
    const table = container?.firstElementChild;
    if (!container || !table) return;
    const observer = new ResizeObserver(() =>
      setWider(container.scrollWidth > container.clientWidth),
    );
    observer.observe(container);
    observer.observe(table);
    return () => observer.disconnect();
  }, []);
  // The role is "group", because the surrounding panel is already a landmark and often has the same name.
  const reachable = wider && { tabIndex: 0, role: "group", "aria-label": label };
  return (
    <div
      ref={here}
      className="@container/table relative overflow-x-auto focus-visible:-outline-offset-2"
      aria-busy={busy || undefined}
      {...reachable}
    >
      {children}
    </div>
  );
}

function PendingRows({ columns }: { columns: number }) {
  return ["a", "b", "c", "d", "e"].map((row) => (
    <tr key={row} className="border-b border-line last:border-0">
      <td colSpan={columns} className="px-5 py-3.5">
        <Skeleton />
      </td>
    </tr>
  ));
}

/** A paginated list of the API, with buttons for the previous and next page. */
export function ListTable<Row extends { readonly id: string }>({
  list,
  total = null,
  ...props
}: Omit<Props<Row>, "rows" | "keyOf" | "pending" | "stale" | "problem"> & {
  readonly list: ListPage<Row>;
  /** The number of rows of all pages. Undefined until the count is loaded. Null for a list without a count. */
  readonly total?: Count | undefined | null;
}) {
  const { rows, pending, stale, problem, next, previous, position } = list;
  const shown = total !== null && rows.length > 0 && rangeText(position, rows.length, total);
  return (
    <>
      <Table {...props} {...{ rows, pending, stale, problem }} keyOf={({ id }) => id} />
      <Pagination list={props.label} previous={previous} next={next} shown={shown || null} />
    </>
  );
}

/** Returns the position of the page in its list: `1–25 of 572`. */
function rangeText(position: number | null, count: number, total: Count | undefined): string {
  const range =
    position === null ? null : `${formatCount(position)}–${formatCount(position + count - 1)}`;
  const all = total && `${formatCount(total.count)}${total.exact ? "" : "+"}`;
  return [range, all].filter(Boolean).join(" of ");
}

type PaginationProps = {
  /** The list's name for screen readers. */
  readonly list: string;
  readonly back?: string;
  /** The position of the page in the list. */
  readonly shown?: string | null;
  /** Opens the previous page. Null if the current page is the first one. */
  readonly previous: (() => void) | null;
  readonly next: (() => void) | null;
};

/** Buttons for the previous and next page of a list. Renders nothing for a list with only one page. */
export function Pagination({
  list,
  back = "Previous",
  shown = null,
  previous,
  next,
}: PaginationProps) {
  if (!previous && !next && !shown) return null;
  return (
    <nav
      aria-label={`${list} pagination`}
      className="flex items-center justify-end gap-2 border-t border-line px-4 py-2.5 sm:px-5"
    >
      {shown && <span className="mr-auto text-sm text-ink-soft tabular-nums">{shown}</span>}
      <Button small disabled={!previous} onClick={() => previous?.()}>
        {back}
      </Button>
      <Button small disabled={!next} onClick={() => next?.()}>
        Next
      </Button>
    </nav>
  );
}
