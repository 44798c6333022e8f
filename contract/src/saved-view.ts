import Type, { type Static } from "typebox";
import { id } from "./ids.ts";
import { listQuery } from "./list.ts";
import { objectFields } from "./object-fields.ts";
import { text } from "./text.ts";

/** The maximum number of views per merchant and mode. */
export const maxSavedViews = 100;

const example = { name: "Failed payments", query: "status=failed" };
const list = () => Type.Enum(["charges"], { description: "List that the view filters." });
const name = () => text(80, "Name of the view.", example.name);
const query = () =>
  text(2000, "Filters as in the URL of the page: `status=failed&last4=4242`.", example.query);

/** A named set of list filters, shared by the team. */
export const SavedView = Type.Object(
  {
    ...objectFields("view", "saved_view"),
    list: list(),
    name: Type.String({ description: "Name of the view.", examples: [example.name] }),
    query: Type.String({
      description: "Filters as in the URL of the page. The service does not interpret the filters.",
      examples: [example.query],
    }),
  },
  { description: "Named filters of a list, for the whole team." },
);
export type SavedView = Static<typeof SavedView>;

export const CreateSavedView = Type.Object(
  { list: list(), name: name(), query: query() },
  { additionalProperties: false },
);
export type CreateSavedView = Static<typeof CreateSavedView>;

export const UpdateSavedView = Type.Object(
  { name: Type.Optional(name()), query: Type.Optional(query()) },
  { additionalProperties: false },
);
export type UpdateSavedView = Static<typeof UpdateSavedView>;

export const ListSavedViews = listQuery({});
export type ListSavedViews = Static<typeof ListSavedViews>;

export const SavedViewDeleted = Type.Object(
  {
    id: id("view", "ID of the deleted view."),
    object: Type.Literal("saved_view", { description: "Always `saved_view`." }),
    deleted: Type.Literal(true, { description: "Always `true`." }),
  },
  { description: "Deleted saved view." },
);
export type SavedViewDeleted = Static<typeof SavedViewDeleted>;
