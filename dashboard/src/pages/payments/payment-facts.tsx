import type { Charge, ThreeDSecure } from "@florin/contract/charge.ts";
import { Badge, inWords } from "../../components/badge.tsx";
import { Card } from "../../components/card.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";

export function PaymentFacts({ charge }: { charge: Charge }) {
  const money = (amount: number) => <Money amount={amount} currency={charge.currency} />;
  return (
    <KeyValues
      facts={[
        ["Created", <DateTime key="at" at={charge.created} />],
        charge.amount_captured > 0 && ["Taken", money(charge.amount_captured)],
        charge.amount_refunded > 0 && ["Refunded", money(charge.amount_refunded)],
        charge.amount_disputed > 0 && ["Disputed", money(charge.amount_disputed)],
        charge.status === "authorized" &&
          charge.capture_before !== null && [
            "Held until",
            <DateTime key="until" at={charge.capture_before} />,
          ],
        ["Description", charge.description],
        charge.customer_id !== null && [
          "Customer",
          <Id key="cus" id={charge.customer_id} to={`/customers/${charge.customer_id}`} brief />,
        ],
        charge.statement_descriptor !== null && ["On the statement", charge.statement_descriptor],
        charge.checkout_session_id !== null && [
          "Checkout session",
          <Id key="cs" id={charge.checkout_session_id} brief />,
        ],
        ["Customer was", charge.off_session ? "Absent" : "Present"],
      ]}
    />
  );
}

export function CardPanel({ charge }: { charge: Charge }) {
  const { card } = charge.payment_method_details;
  const { checks } = card;
  return (
    <Panel title="Card">
      <KeyValues
        facts={[
          ["Number", <Card key="card" {...card} />],
          ["Expires", `${String(card.exp_month).padStart(2, "0")} / ${card.exp_year}`],
          [
            "Kind",
            [card.funding && inWords(card.funding), card.country].filter(Boolean).join(", "),
          ],
          ["Payment method", <Id key="pm" id={charge.payment_method_id} brief />],
          ["Fingerprint", <Id key="print" id={String(card.fingerprint)} brief />],
          checks.cvc_check !== null && [
            "Security code",
            <Check key="cvc" result={checks.cvc_check} />,
          ],
          checks.address_line1_check !== null && [
            "Address",
            <Check key="line" result={checks.address_line1_check} />,
          ],
          checks.address_postal_code_check !== null && [
            "Postal code",
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

/** Meaning of the issuer's transStatus (EMV 3-D Secure). */
const letters: Readonly<Record<string, string>> = {
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
  const proof = charge.payment_method_details.card.three_d_secure;
  if (!proof) return null;
  return (
    <Panel title="3-D Secure">
      <KeyValues
        facts={[
          [
            "Result",
            <Badge key="result" tone={endings[proof.result]}>
              {inWords(proof.result)}
            </Badge>,
          ],
          proof.flow !== null && [
            "Way",
            proof.flow === "challenge" ? "The customer was asked" : "Without asking the customer",
          ],
          ["Liability", proof.liability_shift ? "With the card’s bank" : "With you"],
          proof.trans_status !== null && [
            "Bank’s word",
            `${proof.trans_status}, ${letters[proof.trans_status] ?? "unknown"}`,
          ],
          proof.eci !== null && ["ECI", proof.eci],
          ["Version", proof.version],
          proof.ds_transaction_id !== null && [
            "Directory server",
            <Id key="ds" id={proof.ds_transaction_id} />,
          ],
        ]}
      />
    </Panel>
  );
}

export function MetadataPanel({ metadata }: { metadata: Readonly<Record<string, string>> }) {
  const facts = Object.entries(metadata);
  if (facts.length === 0) return null;
  return (
    <Panel title="Metadata">
      <KeyValues facts={facts} />
    </Panel>
  );
}
