import type { SavedView as SavedViewObject } from "@florin/contract/saved-view.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { createdAt, type SavedViewId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";

/** Filters of a list under a name; everybody in the team has the same. */
export type SavedView = {
  readonly id: SavedViewId;
  readonly owner: Owner;
  readonly list: SavedViewObject["list"];
  readonly name: string;
  /** As in the address of the page that shows the list; what it means is the page's to know. */
  readonly query: string;
};

export function savedViewObject({ id, owner, list, name, query }: SavedView): SavedViewObject {
  return {
    id,
    object: "saved_view",
    livemode: owner.livemode,
    created: unixSeconds(createdAt(id)),
    list,
    name,
    query,
  };
}
