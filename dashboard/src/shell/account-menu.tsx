import { useNavigate } from "@tanstack/react-router";
import { Check, ChevronsUpDown } from "lucide-react";
import { useMe, useMembership } from "../api/signed-in-person.ts";
import { useApi } from "../api/use-api.ts";
import { inWords } from "../components/badge.tsx";
import { Menu, MenuHeading, MenuItem } from "../components/menu.tsx";
import { Logo } from "./logo.tsx";

/** The current account, and links to the person's other accounts. */
export function AccountMenu() {
  const { memberships } = useMe();
  const here = useMembership();
  const { scope } = useApi();
  const navigate = useNavigate();
  const name = here?.account.name ?? scope.account;
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-hover"
        >
          <Logo className="size-7" />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-semibold">{name}</span>
          </span>
          <ChevronsUpDown aria-hidden="true" className="size-4 text-ink-faint" />
          <span className="sr-only">, switch account</span>
        </button>
      }
    >
      <MenuHeading>Accounts</MenuHeading>
      {memberships.map(({ account, role }) => (
        <MenuItem
          key={account.id}
          onSelect={() => void navigate({ to: `/${account.id}/${scope.mode}` })}
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate">{account.name}</span>
            <span className="block text-xs text-ink-soft">{inWords(role)}</span>
          </span>
          {account.id === scope.account && (
            <Check aria-hidden="true" className="size-4 text-accent" />
          )}
        </MenuItem>
      ))}
    </Menu>
  );
}
