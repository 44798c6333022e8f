import { type ReactNode, useId } from "react";

type Props = {
  readonly title?: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** Removes the padding, for tables and lists. */
  readonly flush?: boolean;
  readonly children: ReactNode;
};

/** A section of a page with its own heading. */
export function Panel({ title, lead, actions, flush = false, children }: Props) {
  const id = useId();
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className="min-w-0 rounded-lg border border-line bg-surface"
    >
      {(title || actions) && (
        <div className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 sm:px-5">
          {title && (
            <h2 id={id} className="text-base">
              {title}
            </h2>
          )}
          {lead && <p className="text-sm text-ink-soft">{lead}</p>}
          {actions && <div className="ml-auto flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      <div className={flush ? "" : "p-4 sm:p-5"}>{children}</div>
    </section>
  );
}
