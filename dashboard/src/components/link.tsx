import { Link as RouterLink } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useAddress } from "../api/here.ts";
import { buttonLook, type Weight } from "./button.tsx";

type Props = {
  /** Below the account and the mode: `/payments/ch_…`, also with a query. */
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
};

/** A link to another page of the same account and mode. */
export function PageLink({ to, children, className = "link" }: Props) {
  const address = useAddress();
  return (
    <AppLink to={address(to)} className={className}>
      {children}
    </AppLink>
  );
}

/** A link to any page of the app, below `/dashboard`. */
export function AppLink({ to, children, className = "link" }: Props) {
  const [path = to, query] = to.split("?");
  const search = Object.fromEntries(new URLSearchParams(query));
  return (
    <RouterLink to={path} search={search as never} className={className}>
      {children}
    </RouterLink>
  );
}

/** A link that looks like a button: it goes somewhere, it does nothing. */
export function ButtonLink({
  weight,
  small,
  ...props
}: Props & { readonly weight?: Weight; readonly small?: boolean }) {
  return <PageLink {...props} className={buttonLook(weight, small)} />;
}
