import type { Payout } from "@florin/contract/balance.ts";
import type { Charge, ThreeDSecure } from "@florin/contract/charge.ts";
import { walletNames } from "@florin/contract/wallet-names.ts";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { Badge, inWords } from "../../components/badge.tsx";
import { Card } from "../../components/card.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { BalanceTransactionId, Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Totals, totalsOf } from "./payment-ledger.ts";
import { useLedgerOf } from "./use-ledger.ts";

export function PaymentDetails({ charge }: { charge: Charge }) {
  const payouts = usePayoutsOf(charge);
  const totals = useTotalsOf(charge);
  const money = (amount: number) => <Money amount={amount} currency={charge.currency} />;
  return (
    <KeyValues
      items={[
        ["Created", <DateTime key="at" at={charge.created} />],
        charge.amount_captured > 0 && ["Captured", money(charge.amount_captured)],
        charge.amount_refunded > 0 && ["Refunded", money(-charge.amount_refunded)],
        charge.amount_disputed > 0 && ["Disputed", money(charge.amount_disputed)],
        totals !== null && ["Fees", totals && money(totals.fees)],
        totals !== null && [
          "Net",
          totals && (
            <span key="net" className="font-medium">
              {money(totals.net)}
            </span>
          ),
        ],
        charge.status === "authorized" &&
          charge.capture_before !== null && [
            "Capture before",
            <DateTime key="until" at={charge.capture_before} />,
          ],
        ["Description", charge.description],
        charge.customer_id !== null && [
          "Customer",
          <Id key="cus" id={charge.customer_id} to={`/customers/${charge.customer_id}`} brief />,
        ],
        charge.client_reference_id !== null && ["Reference", charge.client_reference_id],
        charge.balance_transaction_id !== null && [
          "Balance transaction",
          <BalanceTransactionId key="txn" id={charge.balance_transaction_id} source={charge.id} />,
        ],
        payouts.length > 0 && [
          payouts.length === 1 ? "Payout" : "Payouts",
          <span key="po" className="grid justify-items-start">
            {payouts.map(({ id }) => (
              <Id key={id} id={id} to={`/payouts/${id}`} brief />
            ))}
          </span>,
        ],
        charge.statement_descriptor !== null && [
          "Statement descriptor",
          charge.statement_descriptor,
        ],
        charge.checkout_session_id !== null && [
          "Checkout session",
          <Id
            key="cs"
            id={charge.checkout_session_id}
            to={`/checkout-sessions/${charge.checkout_session_id}`}
            brief
          />,
        ],
        ["Initiated by", charge.off_session ? "Merchant (off-session)" : "Customer"],
      ]}
    />
  );
}

/**
 * Returns the fees and the net amount. Undefined while they load. Null if nothing was captured, if the person cannot
 * read the balance, if the read failed, or if the payment has several currencies.
 */
function useTotalsOf(charge: Charge): Totals | null | undefined {
  const may = useMay();
  const { data, error } = useLedgerOf(charge);
  if (charge.amount_captured === 0 || !may("balance:read") || error) return null;
  return data && totalsOf(data.transfers);
}

/** Reads the payouts that contain the payment. */
function usePayoutsOf({ id, status }: Charge): readonly Payout[] {
  const may = useMay();
  const isRead = status === "succeeded" && may("balance:read");
  const { data } = useObject<ListOf<Payout>>(isRead ? "/payouts" : null, { charge_id: id });
  return data?.data ?? [];
}

export function CardPanel({ charge }: { charge: Charge }) {
  const { card } = charge.payment_method_details;
  const { checks } = card;
  return (
    <Panel title="Card">
      <KeyValues
        items={[
          [card.last4 === null ? "Card" : "Card number", <Card key="card" {...card} />],
          card.exp_month !== null && [
            "Expires",
            `${String(card.exp_month).padStart(2, "0")} / ${card.exp_year}`,
          ],
          [
            "Type",
            [card.funding && inWords(card.funding), card.country].filter(Boolean).join(", "),
          ],
          card.wallet !== undefined && ["Wallet", walletNames[card.wallet]],
          ["Payment method", <Id key="pm" id={charge.payment_method_id} brief />],
          card.fingerprint !== null && [
            "Fingerprint",
            <Id key="print" id={card.fingerprint} brief />,
          ],
          checks.cvc_check !== null && ["CVC check", <Check key="cvc" result={checks.cvc_check} />],
          checks.address_line1_check !== null && [
            "Street address check",
            <Check key="line" result={checks.address_line1_check} />,
          ],
          checks.address_postal_code_check !== null && [
            "Postal code check",
            <Check key="zip" result={checks.address_postal_code_check} />,
          ],
        ]}
      />
    </Panel>
  );
}

function Check({ result }: { result: string }) {
  const tone = ({ pass: "positive", fail: "negative" } as const)[result] ?? "neutral";
  return <Badge tone={tone}>{inWords(result)}</Badge>;
}

/** The meanings of transStatus (EMV 3-D Secure). */
const transStatusMeanings: Readonly<Record<string, string>> = {
  Y: "authenticated",
  A: "attempted",
  N: "not authenticated",
  R: "rejected",
  U: "unavailable",
  I: "information only",
  C: "challenge",
};

const endings: Readonly<Record<ThreeDSecure["result"], "positive" | "negative" | "neutral">> = {
  authenticated: "positive",
  attempted: "positive",
  informational: "neutral",
  failed: "negative",
  rejected: "negative",
  unavailable: "neutral",
  canceled: "negative",
  timed_out: "negative",
};

export function ThreeDSecurePanel({ charge }: { charge: Charge }) {
  const authentication = charge.payment_method_details.card.three_d_secure;
  if (!authentication) return null;
  return (
    <Panel title="3-D Secure">
      <KeyValues
        items={[
          [
            "Result",
            <Badge key="result" tone={endings[authentication.result]}>
              {inWords(authentication.result)}
            </Badge>,
          ],
          authentication.flow !== null && [
            "Flow",
            authentication.flow === "challenge" ? "Challenge" : "Frictionless",
          ],
          ["Liability", authentication.liability_shift ? "Shifted to the issuer" : "Not shifted"],
          authentication.trans_status !== null && [
            "Issuer response",
            `${authentication.trans_status} (${transStatusMeanings[authentication.trans_status] ?? "unknown"})`,
          ],
          authentication.eci !== null && ["ECI", authentication.eci],
          ["Version", authentication.version],
          authentication.ds_transaction_id !== null && [
            "DS transaction ID",
            <Id key="ds" id={authentication.ds_transaction_id} />,
          ],
        ]}
      />
    </Panel>
  );
}

export function MetadataPanel({ metadata }: { metadata: Readonly<Record<string, string>> }) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return null;
  return (
    <Panel title="Metadata">
      <KeyValues items={entries} />
    </Panel>
  );
}
