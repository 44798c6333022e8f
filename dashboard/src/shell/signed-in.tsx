import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { announceSignedInPerson } from "../api/other-tabs.ts";
import { MeContext, readingMe } from "../api/signed-in-person.ts";

/**
 * The layout of the pages that require sign-in. The route loads the signed-in person before it renders this component.
 */
export function SignedIn() {
  const { data: me } = useSuspenseQuery(readingMe);
  const [firstId] = useState(me.id);
  const isSamePerson = me.id === firstId;
  useEffect(() => {
    if (isSamePerson) announceSignedInPerson(firstId);
    else location.reload();
  }, [isSamePerson, firstId]);
  // Another person must not submit what the first person entered on the page, not even while the page reloads.
  if (!isSamePerson) return null;
  return (
    <MeContext value={me}>
      <Outlet />
    </MeContext>
  );
}
