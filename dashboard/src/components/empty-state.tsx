import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { GuideLink } from "./guide-link.tsx";

type Props = {
  readonly icon: LucideIcon;
  readonly title: string;
  /** Explains what will appear here and how to get it. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
};

/** An empty state, with a link to the guide for the page. */
export function EmptyState({ icon: Icon, title, children, action }: Props) {
  return (
    <div className="grid justify-items-center gap-2 px-6 py-14 text-center">
      <span className="mb-1 grid size-10 place-items-center rounded-full bg-sunken text-ink-soft">
        <Icon aria-hidden="true" className="size-5" />
      </span>
      <p className="text-lg font-semibold">{title}</p>
      <p className="max-w-md text-ink-soft">{children}</p>
      <div className="mt-3 flex flex-wrap items-center justify-center gap-x-4 gap-y-2">
        {action}
        <GuideLink />
      </div>
    </div>
  );
}
