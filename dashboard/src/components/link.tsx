import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
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

type AnyLink = Props & { readonly "data-row"?: "" };

/**
 * A link to any page of the app, below `/dashboard`. The browser's own, so that it can be opened beside, copied and
 * dragged; an ordinary press stays in the app. (The router's own link follows every change of the address, and a table has
 * many.) What it leads to is fetched while somebody points at it.
 */
export function AppLink({ to, children, className = "link", ...rest }: AnyLink) {
  const router = useRouter();
  const [path = to, query] = to.split("?");
  const target = { to: path, search: Object.fromEntries(new URLSearchParams(query)) as never };
  const preload = () => void router.preloadRoute(target).catch(() => undefined);
  const press = (event: MouseEvent) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || event.button !== 0 || elsewhere) return;
    event.preventDefault();
    void router.navigate(target);
  };
  return (
    <a
      href={`/dashboard${to}`}
      className={className}
      onClick={press}
      onPointerEnter={preload}
      onFocus={preload}
      {...rest}
    >
      {children}
    </a>
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
