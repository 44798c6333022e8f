import type { ReactNode } from "react";
import { useTitle } from "../components/use-title.ts";
import { Logo } from "./logo.tsx";

/** The layout of pages outside any account, such as the sign-in page. */
export function PlainPage({
  title,
  lead,
  wide = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}) {
  useTitle(title);
  return (
    <main
      className={`mx-auto grid min-h-dvh w-full content-start gap-6 px-4 py-10 sm:py-16 ${wide ? "max-w-3xl" : "max-w-md"}`}
    >
      <p className="flex items-center gap-2 text-lg font-semibold">
        <Logo className="size-7" /> Florin
      </p>
      <div className="rounded-lg border border-line bg-surface p-6 sm:p-8">
        <h1 className="text-xl">{title}</h1>
        {lead && <div className="mt-1.5 text-ink-soft">{lead}</div>}
        {children && <div className="mt-6">{children}</div>}
      </div>
    </main>
  );
}
