import type { ReactNode } from "react";
import { Breakable } from "../../components/breakable.tsx";

/** A table cell with the name of a person, an optional badge, and the email address. */
export function PersonCell({
  name,
  email,
  children,
}: {
  name: string;
  email: string;
  children?: ReactNode;
}) {
  return (
    <span className="wrap-anywhere">
      <bdi>{name}</bdi> {children}
      <span className="block text-sm text-ink-soft">
        <Breakable text={email} />
      </span>
    </span>
  );
}
