import type { SavedView as SavedViewObject } from "@florin/contract/saved-view.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, type SavedViewId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";

/** A named set of list filters, shared by the team. */
export type SavedView = {
  readonly id: SavedViewId;
  readonly scope: Scope;
  readonly list: SavedViewObject["list"];
  readonly name: string;
  /** The query string of the list page in the dashboard. The server does not interpret it. */
  readonly query: string;
};

export function savedViewObject({ id, scope, list, name, query }: SavedView): SavedViewObject {
  return {
    id,
    object: "saved_view",
    livemode: scope.livemode,
    created: unixSeconds(createdAt(id)),
    list,
    name,
    query,
  };
}
