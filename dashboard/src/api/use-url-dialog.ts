import { useEffect, useState } from "react";
import { useUrlQuery } from "./use-url-query.ts";

/**
 * Returns the name of the page's open dialog, and a function that opens or closes a dialog. The command palette opens a
 * dialog by its name in the URL. The name is then removed from the URL immediately, so that the dialog does not open
 * again after a reload or for the next person who signs in.
 */
export function useUrlDialog<Name extends string>(
  names: readonly Name[],
  isPossible: (name: Name) => boolean,
): [Name | null, (name: Name | null) => void] {
  const [{ dialog }, change] = useUrlQuery();
  const [open, setOpen] = useState<Name | null>(null);
  useEffect(() => {
    if (dialog === undefined) return;
    const requested = names.find((name) => name === dialog);
    if (requested && isPossible(requested)) setOpen(requested);
    change({ dialog: undefined }, { replace: true });
  });
  return [open, setOpen];
}
