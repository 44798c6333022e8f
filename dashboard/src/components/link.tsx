import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { useScopedPath } from "../api/use-api.ts";
import { buttonStyle, type Weight } from "./button.tsx";

type Props = {
  /** The path below account and mode: `/payments/ch_…`, optionally with a query. */
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
};

/** A link to another page of the same account and mode. */
export function PageLink({ to, children, className = "link" }: Props) {
  const address = useScopedPath();
  return (
    <AppLink to={address(to)} className={className}>
      {children}
    </AppLink>
  );
}

type AnyLink = Props & { readonly "data-row"?: "" };

/**
 * A link to any page below `/dashboard`. It is a native link, which can be opened in a new tab, copied and dragged, but
 * a plain click navigates without a page load. The router's own link would subscribe to every URL change, which is slow
 * in a table with many links. Hover and focus preload the page's code.
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

/** A link with the look of a button, for navigation only. */
export function ButtonLink({
  weight,
  small,
  ...props
}: Props & { readonly weight?: Weight; readonly small?: boolean }) {
  return <PageLink {...props} className={buttonStyle(weight, small)} />;
}
