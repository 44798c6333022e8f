import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowUp } from "lucide-react";
import type { ListOf, Query } from "../api/api.ts";
import { useApi } from "../api/use-api.ts";
import type { ListPage } from "../api/use-list.ts";
import { reading } from "../api/use-object.ts";
import { buttonStyle } from "./button.tsx";

const everyMs = 10_000;
const maxCounted = 10;

type Row = { readonly id: string };

/**
 * A button that shows how many rows are newer than the list, and loads them. The list itself does not change while the
 * person reads it.
 */
export function NewRows({
  path,
  query,
  list,
}: {
  path: string;
  query: Query;
  list: ListPage<Row>;
}) {
  const api = useApi();
  const client = useQueryClient();
  const [first] = list.rows;
  const isNewest = list.previous === null && !list.stale;
  const { data } = useQuery({
    ...reading<ListOf<Row>>(api, path, { ...query, limit: maxCounted, ending_before: first?.id }),
    enabled: isNewest && first !== undefined,
    refetchInterval: everyMs,
  });
  const count = isNewest ? (data?.data.length ?? 0) : 0;
  if (count === 0) return null;
  return (
    <button
      type="button"
      onClick={() => void client.invalidateQueries({ queryKey: [api.scope.account] })}
      className={`${buttonStyle("quiet", true)} text-accent`}
    >
      <ArrowUp aria-hidden="true" className="size-3.5" />
      {data?.has_more ? `${maxCounted}+ new` : `${count} new`}
    </button>
  );
}
