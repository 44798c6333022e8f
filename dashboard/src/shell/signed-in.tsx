import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { useEffect } from "react";
import { announceSignedInPerson } from "../api/other-tabs.ts";
import { MeContext, readingMe } from "../api/signed-in-person.ts";

/**
 * The layout of the pages that require sign-in. The route loads the signed-in person before it renders this component.
 */
export function SignedIn() {
  const { data: me } = useSuspenseQuery(readingMe);
  useEffect(() => announceSignedInPerson(me.id), [me.id]);
  return (
    <MeContext value={me}>
      <Outlet />
    </MeContext>
  );
}
