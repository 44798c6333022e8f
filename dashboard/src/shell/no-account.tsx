import { useMe } from "../api/me.ts";
import { AppLink } from "../components/link.tsx";
import { PlainPage } from "./plain-page.tsx";

/** Shown for accounts without membership. The text does not reveal whether the account exists. */
export function NoAccount() {
  const { memberships } = useMe();
  return (
    <PlainPage
      title="Account not found"
      lead="This account does not exist, or you are not a member of its team."
    >
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
