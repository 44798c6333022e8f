import type { OperatorWallet, WalletNotOfferedReason } from "@florin/contract/operator-wallets.ts";
import { walletNames } from "@florin/contract/wallet-names.ts";
import { WalletCards } from "lucide-react";
import { useState } from "react";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";
import { useNow } from "../../components/use-now.ts";
import { WalletKeyList } from "./wallet-key-list.tsx";
import { certificateState, keysOf, purposeTitles, type WalletProps } from "./wallet-keys.ts";
import { WalletSettingsDialog } from "./wallet-settings-dialog.tsx";
import { WalletSteps } from "./wallet-steps.tsx";

/** One wallet of the account: its settings, the steps of its setup, and its keys. */
export function WalletPanel(props: WalletProps) {
  const { wallet } = props;
  const { configuration, keys } = wallet;
  const [editing, setEditing] = useState(false);
  const nowSeconds = Math.floor(useNow());
  const reasons = configuration?.not_offered_because ?? [];
  const title = walletNames[wallet.wallet];
  return (
    <Panel
      title={title}
      lead={configuration && <StateBadge {...configuration} isComplete={reasons.length === 0} />}
      actions={
        configuration && (
          <Button small onClick={() => setEditing(true)}>
            Change settings
          </Button>
        )
      }
    >
      {configuration ? (
        <div className="grid gap-6">
          <ExpiryNotices wallet={wallet} nowSeconds={nowSeconds} />
          {reasons.length > 0 && (
            <Notice>
              <p>The card form does not offer {title} yet:</p>
              <ul className="list-disc pl-5">
                {reasons.map((reason) => (
                  <li key={reason}>{reasonTexts[reason]}</li>
                ))}
              </ul>
            </Notice>
          )}
          <KeyValues
            items={[
              [
                wallet.wallet === "google_pay" ? "Merchant ID" : "Merchant identifier",
                configuration.merchant_id,
              ],
              ["Name on the payment sheet", configuration.display_name],
              [
                "Tokens",
                configuration.integration === "direct"
                  ? "Decrypted by this service"
                  : "Decrypted by the acquirer",
              ],
              wallet.wallet === "apple_pay" && [
                "Domains",
                configuration.domains.length === 0 ? null : (
                  <ul key="domains">
                    {configuration.domains.map((domain) => (
                      <li key={domain}>{domain}</li>
                    ))}
                  </ul>
                ),
              ],
            ]}
          />
          <WalletSteps {...props} />
          {keys.length > 0 && <WalletKeyList wallet={wallet} nowSeconds={nowSeconds} />}
        </div>
      ) : (
        <EmptyState
          icon={WalletCards}
          title={`${title} is not set up`}
          action={<Button onClick={() => setEditing(true)}>Set up {title}</Button>}
        >
          {emptyTexts[wallet.wallet]}
        </EmptyState>
      )}
      {editing && <WalletSettingsDialog {...props} onClose={() => setEditing(false)} />}
    </Panel>
  );
}

const emptyTexts: Readonly<Record<OperatorWallet["wallet"], string>> = {
  google_pay: "You need the merchant’s profile in the Google Pay & Wallet Console.",
  apple_pay: "You need a merchant identifier from your Apple Developer account.",
};

const reasonTexts: Readonly<Record<WalletNotOfferedReason, string>> = {
  disabled: "The wallet is disabled.",
  no_wallets_url: "FLORIN_WALLETS_URL is not set.",
  no_merchant_id: "The Google merchant ID is missing.",
  no_domain: "No domain is registered.",
  no_payment_processing_key: "No payment processing key is active.",
  payment_processing_certificate_expired: "The payment processing certificate has expired.",
  no_merchant_identity_key: "No merchant identity key is active.",
  merchant_identity_certificate_expired: "The merchant identity certificate has expired.",
};

function StateBadge({
  status,
  isComplete,
}: {
  status: "enabled" | "disabled";
  isComplete: boolean;
}) {
  if (status === "disabled") return <Badge>Disabled</Badge>;
  return isComplete ? <Badge tone="positive">Ready</Badge> : <Badge tone="info">Incomplete</Badge>;
}

/** Warns about certificates in use that have expired or expire soon. */
function ExpiryNotices({ wallet, nowSeconds }: { wallet: OperatorWallet; nowSeconds: number }) {
  return wallet.configuration?.key_purposes.map((purpose) => {
    const { current } = keysOf(wallet, purpose);
    const state = current && certificateState(current, nowSeconds);
    if (!current?.certificate || state === "valid") return null;
    const at = <DateTime at={current.certificate.expires_at} only="day" />;
    return (
      <Notice key={purpose} tone={state === "expired" ? "negative" : "warning"}>
        {state === "expired" ? (
          <>
            The {purposeTitles[purpose].toLowerCase()} certificate expired on {at}. Customers cannot
            pay with Apple Pay until you replace it.
          </>
        ) : (
          <>
            The {purposeTitles[purpose].toLowerCase()} certificate expires on {at}. Create a new key
            and its certificate before then.
          </>
        )}
      </Notice>
    );
  });
}
