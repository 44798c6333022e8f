import { Search } from "lucide-react";
import type { FormEvent } from "react";
import { noCursor } from "../api/use-list.ts";
import { type UrlQuery, useUrlQuery } from "../api/use-url-query.ts";
import { fieldStyle } from "./field.tsx";

type Props = {
  readonly label: string;
  /** Returns the changes of the URL for the entered text. */
  readonly queryOf: (text: string) => UrlQuery;
  /** The initial text of the field. */
  readonly value?: string | undefined;
};

/** A search field of a list. Enter applies the text as filters. */
export function SearchField({ label, queryOf, value = "" }: Props) {
  const [, change] = useUrlQuery();
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem("search") as HTMLInputElement;
    change({ ...queryOf(field.value.trim()), ...noCursor });
  };
  return (
    <search aria-label={label} className="w-72 max-sm:w-full">
      <form onSubmit={apply} className="relative">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-2 left-2.5 size-3.5 text-ink-soft"
        />
        <input
          type="search"
          name="search"
          aria-label={label}
          placeholder={label}
          // Resets the field to the text in the URL after the URL changed, for example after "Clear filters".
          key={value}
          defaultValue={value}
          autoComplete="off"
          className={`${fieldStyle} h-8 pl-8 text-sm`}
        />
      </form>
    </search>
  );
}
