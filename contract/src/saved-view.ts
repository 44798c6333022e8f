import Type, { type Static } from "typebox";
import { id } from "./ids.ts";
import { listQuery } from "./list.ts";
import { objectFacts } from "./object-facts.ts";
import { text } from "./text.ts";

/** The maximum number of views per merchant and mode. */
export const mostSavedViews = 100;

const example = { name: "Failed payments", query: "status=failed" };
const list = () => Type.Enum(["charges"], { description: "The list that it is a view of." });
const name = () => text(80, "What it is called.", example.name);
const query = () =>
  text(
    2000,
    "The filters as they stand in the address of the page: `status=failed&last4=4242`.",
    example.query,
  );

/** A named set of list filters, shared by the team. */
export const SavedView = Type.Object(
  {
    ...objectFacts("view", "saved_view"),
    list: list(),
    name: Type.String({ description: "What it is called.", examples: [example.name] }),
    query: Type.String({
      description:
        "The filters as they stand in the address of the page; the service only keeps them.",
      examples: [example.query],
    }),
  },
  { description: "Filters of a list under a name, for everybody in the team." },
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
    id: id("view", "The id of what is gone."),
    object: Type.Literal("saved_view", { description: "Always `saved_view`." }),
    deleted: Type.Literal(true, { description: "Always true." }),
  },
  { description: "A saved view that is gone." },
);
export type SavedViewDeleted = Static<typeof SavedViewDeleted>;
