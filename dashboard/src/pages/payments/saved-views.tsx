import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { noCursor } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { type UrlQuery, useUrlQuery } from "../../api/use-url-query.ts";
import { Button, buttonStyle } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { type Filter, namesOf } from "../../components/filter.ts";
import { Form, textOf } from "../../components/form.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";
import { showToast } from "../../components/toast.tsx";

type View = {
  readonly id: string;
  readonly list: string;
  readonly name: string;
  readonly query: string;
};

/** The saved views of the team. A view is a set of filters. The current filters can be saved as a new view. */
export function SavedViews({ list, filters }: { list: string; filters: readonly Filter[] }) {
  const [values, change] = useUrlQuery();
  const [naming, setNaming] = useState(false);
  const may = useMay();
  const { data } = useObject<ListOf<View>>("/saved_views", { limit: 100 });
  const views = data?.data.filter((view) => view.list === list) ?? [];
  const names = namesOf(filters);
  const current = textOfView(values, names);
  const unset = Object.fromEntries(names.map((name) => [name, undefined]));
  const remove = useOperation<View, unknown>((api, { id }) => api.delete(`/saved_views/${id}`), {
    done: () => showToast("View removed."),
  });
  const shown = views.find(({ query }) => query === current);
  const unsaved = current !== "" && !shown;
  if (views.length === 0 && !unsaved) return null;
  return (
    <nav aria-label="Saved views" className="flex flex-wrap items-center gap-2">
      {views.map((view) => (
        <button
          key={view.id}
          type="button"
          aria-pressed={view === shown}
          onClick={() =>
            change({
              ...unset,
              ...Object.fromEntries(new URLSearchParams(view.query)),
              ...noCursor,
            })
          }
          className={`min-h-7 rounded-2xl px-3 py-0.5 text-left text-sm wrap-anywhere ${view === shown ? "bg-accent-soft font-medium text-accent" : "bg-sunken text-ink-soft hover:text-ink"}`}
        >
          <GivenText text={view.name} />
        </button>
      ))}
      {unsaved && may("payments:write") && (
        <button
          type="button"
          className={buttonStyle("quiet", true)}
          onClick={() => setNaming(true)}
        >
          <Bookmark aria-hidden="true" className="size-3.5" />
          Save view
        </button>
      )}
      {shown && may("payments:write") && (
        <Button small weight="quiet" busy={remove.pending} onClick={() => void remove.run(shown)}>
          <Trash2 aria-hidden="true" className="size-3.5" />
          Remove “{isolateBidi(shown.name)}”
        </Button>
      )}
      <NameDialog {...{ list, naming }} query={current} onClose={() => setNaming(false)} />
    </nav>
  );
}

function NameDialog({
  list,
  query,
  naming,
  onClose,
}: {
  list: string;
  query: string;
  naming: boolean;
  onClose: () => void;
}) {
  const keep = useOperation<string, View>(
    (api, name, key) => api.post("/saved_views", { list, name, query }, key),
    {
      done: ({ name }) => {
        showToast(`Saved as “${isolateBidi(name)}”.`);
        onClose();
      },
    },
  );
  return (
    <Dialog
      open={naming}
      title="Save view"
      lead="Everyone on your team can use the saved view."
      onClose={onClose}
    >
      <Form
        submit="Save"
        busy={keep.pending}
        problem={keep.problem}
        onSubmit={(form) => void keep.run(textOf(form, "name") ?? "")}
        onCancel={onClose}
      >
        <TextField name="name" label="Name" maxLength={80} autoComplete="off" />
      </Form>
    </Dialog>
  );
}

function textOfView(values: UrlQuery, names: readonly string[]): string {
  const set = names.filter((name) => values[name]).sort();
  return new URLSearchParams(set.map((name) => [name, values[name] ?? ""])).toString();
}
