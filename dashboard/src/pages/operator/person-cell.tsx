import type { ReactNode } from "react";

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
      <span className="block text-sm break-all text-ink-soft">{email}</span>
    </span>
  );
}
