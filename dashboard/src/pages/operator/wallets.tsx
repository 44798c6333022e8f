import type { OperatorWallets } from "@florin/contract/operator-wallets.ts";
import { useParams } from "@tanstack/react-router";
import { useAdminQuery } from "../../api/admin.ts";
import { LoadError } from "../../components/load-error.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { WalletPanel } from "./wallet-panel.tsx";

/** The wallets of an account in live mode, with their keys and certificates. */
export function WalletsPage() {
  const { merchant } = useParams({ strict: false }) as { merchant: string };
  const { data, error } = useAdminQuery<OperatorWallets>(`/accounts/${merchant}/wallets`);
  return (
    <Page
      title="Wallets"
      back={{ to: `/operator/accounts/${merchant}`, label: "Account" }}
      lead="Google Pay and Apple Pay for live payments. The keys belong to this account only. Private keys never leave the service."
    >
      {error && <LoadError problem={error} />}
      {!data && !error && <Skeleton />}
      {data && (
        <div className="grid gap-6">
          {data.environment === "sandbox" && (
            <Notice>
              This service uses the sandboxes of acquirers. Google Pay uses its test environment.
            </Notice>
          )}
          <div className="grid items-start gap-6 lg:grid-cols-2">
            {data.data.map((wallet) => (
              <WalletPanel key={wallet.wallet} wallet={wallet} service={data} />
            ))}
          </div>
        </div>
      )}
    </Page>
  );
}
