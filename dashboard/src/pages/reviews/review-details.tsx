import type { Charge } from "@florin/contract/charge.ts";
import type { CheckoutSession } from "@florin/contract/checkout-session.ts";
import type { Customer } from "@florin/contract/customer.ts";
import type { Decision } from "@florin/contract/decision.ts";
import type { ReactNode } from "react";
import type { ListOf, Query } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { formatMoney } from "../../components/amount.ts";
import { Badge, inWords, Status } from "../../components/badge.tsx";
import { Card } from "../../components/card.tsx";
import { countryName } from "../../components/country-names.ts";
import { Ago } from "../../components/date-time.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { PageLink } from "../../components/link.tsx";
import { Money } from "../../components/money.tsx";
import { timeLeft } from "../../components/time-left.ts";
import { useNow } from "../../components/use-now.ts";
import { LineItems } from "../payments/line-items.tsx";

/**
 * The facts on which a reviewer bases the decision: the amount, the reasons, the customer, the countries and the
 * purchase.
 */
export function ReviewDetails({
  decision,
  charge,
}: {
  decision: Decision;
  charge: Charge | undefined;
}) {
  const { amount, currency, created, risk_score, risk_level, review } = decision;
  return (
    <div className="grid min-w-0 gap-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-lg font-semibold">
          <Money amount={amount} currency={currency} named />
        </span>
        <Status status={`risk_${risk_score}`} tone={riskTone(risk_level)} />
        {review && review !== "open" && <Status status={review} />}
        {review === "open" && charge && <HoldExpiry charge={charge} />}
        <span className="text-sm text-ink-soft">
          <Ago at={created} />
        </span>
      </p>
      <div className="grid gap-1">
        <p className="wrap-anywhere">{reasonText(decision)}</p>
        {decision.matched_rules.map((rule) => (
          <p key={rule} className="text-sm text-ink-soft">
            Rule{" "}
            <code className="rounded-sm bg-sunken px-1 py-px font-mono text-xs break-all text-ink">
              {rule}
            </code>
          </p>
        ))}
      </div>
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">
        <Fact name="Customer">
          <CustomerName decision={decision} />
        </Fact>
        {charge && (
          <Fact name="Card">
            <Card {...charge.payment_method_details.card} />{" "}
            <span className="whitespace-nowrap text-ink-soft">
              <CardCountry code={charge.payment_method_details.card.country} />
            </span>
          </Fact>
        )}
        {decision.ip !== null && (
          <Fact name="IP address">
            {decision.ip}{" "}
            <CountryOfAddress
              address={decision.ip_country}
              card={charge?.payment_method_details.card.country ?? null}
            />
          </Fact>
        )}
        <Fact name="Purchase">
          <Purchase decision={decision} charge={charge} />
        </Fact>
        {(decision.customer_id ?? decision.email) !== null && (
          <Fact name="Earlier payments">
            <EarlierPayments decision={decision} />
          </Fact>
        )}
      </dl>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-ink-soft">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

function riskTone(level: Decision["risk_level"]) {
  return level === "normal" ? "positive" : level === "elevated" ? "warning" : "negative";
}

const day = 86_400;

function HoldExpiry({ charge }: { charge: Charge }) {
  const now = useNow();
  if (charge.capture_before === null) return null;
  const left = charge.capture_before - now;
  const tone = left < day ? "negative" : left < 2 * day ? "warning" : "neutral";
  return <Badge tone={tone}>{left <= 0 ? "Hold expired" : `Hold: ${timeLeft(left)}`}</Badge>;
}

function CustomerName({ decision: { customer_id, email } }: { decision: Decision }) {
  const may = useMay();
  const { data } = useObject<Customer>(
    customer_id !== null && may("customers:read") ? `/customers/${customer_id}` : null,
  );
  const words = [data?.name, email ?? data?.email].filter(Boolean).join(", ");
  const name = <GivenText text={words} />;
  if (customer_id === null) return words ? name : "Unknown";
  return <PageLink to={`/customers/${customer_id}`}>{words ? name : "View customer"}</PageLink>;
}

/** The country of the IP address. A country that differs from the card's is highlighted. */
function CountryOfAddress({ address, card }: { address: string | null; card: string | null }) {
  if (address === null) return null;
  const name = countryName(address);
  if (card === null || card === address) return <span className="text-ink-soft">{name}</span>;
  return <Badge tone="warning">{name}, not the card’s country</Badge>;
}

function CardCountry({ code }: { code: string | null }) {
  return code === null ? "Unknown country" : countryName(code);
}

/** The line items of the session, or else the description, with the metadata. */
function Purchase({ decision, charge }: { decision: Decision; charge: Charge | undefined }) {
  const session = charge?.checkout_session_id;
  const { data } = useObject<CheckoutSession>(session ? `/checkout_sessions/${session}` : null);
  const metadata = Object.entries({ ...decision.metadata, ...charge?.metadata });
  const description = charge?.description ?? data?.description;
  const reference = charge?.client_reference_id;
  if (!description && !reference && metadata.length === 0 && !data?.line_items) {
    return "No description";
  }
  return (
    <span className="grid gap-1">
      {description && <GivenText text={description} />}
      {data?.line_items && <LineItems items={data.line_items} currency={decision.currency} />}
      {reference && (
        <span className="text-sm text-ink-soft">
          Order <GivenText text={reference} />
        </span>
      )}
      {metadata.map(([key, value]) => (
        <span key={key} className="text-sm text-ink-soft">
          <GivenText text={key} />: <GivenText text={value} />
        </span>
      ))}
    </span>
  );
}

const maxCounted = 100;

/**
 * The number and the sum of the customer's earlier payments. If the payment has no customer, counts the earlier
 * payments with the same email address.
 */
function EarlierPayments({ decision }: { decision: Decision }) {
  const { customer_id, email, currency } = decision;
  const payer: Query | null =
    customer_id !== null ? { customer_id } : email !== null ? { customer_email: email } : null;
  const { data } = useObject<ListOf<Charge>>(payer && "/charges", {
    ...payer,
    limit: maxCounted,
    "created[lt]": decision.created,
  });
  if (!data) return "…";
  const paid = data.data.filter(({ status }) => status === "succeeded");
  if (paid.length === 0) {
    return data.data.length === 0 ? "None" : `None paid, ${data.data.length} failed or canceled`;
  }
  const sum = paid
    .filter((one) => one.currency === currency)
    .reduce((total, { amount_captured }) => total + amount_captured, 0);
  const disputed = paid.filter((one) => one.disputed).length;
  return (
    <>
      {paid.length}
      {data.has_more && "+"} paid, {formatMoney(sum, currency)}
      {disputed > 0 && (
        <>
          {" "}
          <Badge tone="negative">{disputed} disputed</Badge>
        </>
      )}
    </>
  );
}

function reasonText({ reasons, matched_rules }: Decision): string {
  const words = reasons.map(inWords);
  if (words.length > 0) return words.join(" · ");
  return matched_rules.length > 0 ? "Sent to review by a rule." : "No reason recorded.";
}
