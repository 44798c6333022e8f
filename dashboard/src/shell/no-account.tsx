import { useMe } from "../api/me.ts";
import { AppLink } from "../components/link.tsx";
import { PlainPage } from "./plain-page.tsx";

/** An address of an account one does not belong to reads the same whether there is such an account or not. */
export function NoAccount() {
  const { memberships } = useMe();
  return (
    <PlainPage title="Not found" lead="There is no such account, or you do not belong to its team.">
      <ul className="grid gap-2">
        {memberships.map(({ account }) => (
          <li key={account.id}>
            <AppLink to={`/${account.id}/test`}>{account.name}</AppLink>
          </li>
        ))}
      </ul>
    </PlainPage>
  );
}
