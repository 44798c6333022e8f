import { ChevronLeft } from "lucide-react";
import type { ReactNode } from "react";
import { PageLink } from "./link.tsx";
import { ShownTogether } from "./shown-together.tsx";
import { useTitle } from "./use-title.ts";
import { WrappingIdentifier } from "./wrapping-identifier.tsx";

type Props = {
  /** The heading. Also the window's title. */
  readonly title: string;
  /** Shown beside the title, such as a status or an ID. */
  readonly beside?: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** The list that this page belongs to. */
  readonly back?: { readonly to: string; readonly label: string };
  readonly children: ReactNode;
};

/** A page with its heading, its actions and its sections. The sections are shown when all of them are loaded. */
export function Page({ title, beside, lead, actions, back, children }: Props) {
  useTitle(title);
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-6 pb-24 sm:px-8 sm:pt-8">
      <header className="mb-6">
        {back && (
          <PageLink
            to={back.to}
            className="mb-2 -ml-1 inline-flex items-center gap-0.5 text-sm text-ink-soft hover:text-ink print:hidden"
          >
            <ChevronLeft aria-hidden="true" className="size-4" />
            {back.label}
          </PageLink>
        )}
        {/* On a phone, the actions are below the lead. Otherwise they are beside the title. */}
        <div className="grid grid-cols-[minmax(0,1fr)] items-center gap-x-4 gap-y-1.5 sm:grid-cols-[minmax(0,1fr)_fit-content(70%)]">
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-2xl wrap-anywhere">
              <WrappingIdentifier text={title} />
            </h1>
            {beside}
          </div>
          {lead && (
            <p className="max-w-2xl text-pretty text-ink-soft sm:col-span-2 sm:row-start-2">
              {lead}
            </p>
          )}
          {actions && (
            <div className="flex flex-wrap gap-2 max-sm:mt-1.5 sm:col-start-2 sm:row-start-1 sm:justify-end print:hidden">
              {actions}
            </div>
          )}
        </div>
      </header>
      <ShownTogether>{children}</ShownTogether>
    </div>
  );
}
