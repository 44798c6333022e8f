import type { ReactNode } from "react";
import { WrappingIdentifier } from "../../components/wrapping-identifier.tsx";

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
        <WrappingIdentifier text={email} />
      </span>
    </span>
  );
}
