import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { MeContext, readingMe } from "../api/me.ts";

/** The pages that require sign-in. The route has loaded the person before it renders them. */
export function SignedIn() {
  const { data: me } = useSuspenseQuery(readingMe);
  return (
    <MeContext value={me}>
      <Outlet />
    </MeContext>
  );
}
