import type { Charge } from "@florin/contract/charge.ts";
import type { CheckoutSession } from "@florin/contract/checkout-session.ts";
import { useParams } from "@tanstack/react-router";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { formatMoney } from "../../components/amount.ts";
import { Status } from "../../components/badge.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { CurrencyCode } from "../../components/money.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { ListTable } from "../../components/table.tsx";
import { LineItems } from "../payments/line-items.tsx";
import { paymentColumns } from "../payments/payment-columns.tsx";
import { SavedCard } from "./saved-card.tsx";

const back = { to: "/payments", label: "Payments" };

/** One checkout session with its payment attempts, or with the card that it has saved. */
export function CheckoutSessionPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: session, error } = useObject<CheckoutSession>(`/checkout_sessions/${id}`);
  if (!session) {
    return <PagePlaceholder title="Checkout session" back={back} problem={error} lines={6} />;
  }
  const { amount, currency, line_items, customer_id, last_payment_error } = session;
  const isSetup = session.mode === "setup";
  return (
    <Page
      title={isSetup ? "Save a card" : formatMoney(amount, currency)}
      back={back}
      beside={
        <>
          <CurrencyCode currency={currency} />
          <Status status={session.status} />
        </>
      }
      lead={<Id id={session.id} />}
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="grid min-w-0 gap-6">
          {isSetup ? (
            <SavedCard id={session.payment_method_id} />
          ) : (
            <PaymentAttempts session={session.id} />
          )}
          {line_items && (
            <Panel title="Line items">
              <LineItems items={line_items} currency={currency} />
            </Panel>
          )}
        </div>
        <Panel title="Details">
          <KeyValues
            items={[
              ["Created", <DateTime key="at" at={session.created} />],
              session.status === "open" && [
                "Expires",
                <DateTime key="until" at={session.expires_at} />,
              ],
              isSetup && ["Mode", "Saves a card, no payment"],
              ["Description", session.description],
              session.client_reference_id !== null && ["Reference", session.client_reference_id],
              customer_id !== null && [
                "Customer",
                <Id key="cus" id={customer_id} to={`/customers/${customer_id}`} brief />,
              ],
              session.customer_email !== null && ["Email", session.customer_email],
              ["Attempts", `${session.attempts} of ${session.max_attempts}`],
              last_payment_error !== null && ["Last error", last_payment_error.message],
              ...Object.entries(session.metadata),
            ]}
          />
        </Panel>
      </div>
    </Page>
  );
}

function PaymentAttempts({ session }: { session: string }) {
  const charges = useList<Charge>("/charges", { checkout_session_id: session });
  return (
    <Panel title="Payment attempts" flush>
      <ListTable
        label="Payment attempts of this session"
        list={charges}
        columns={paymentColumns}
        to={(charge) => `/payments/${charge.id}`}
        empty={<p className="p-4 text-ink-soft sm:p-5">The customer has not paid yet.</p>}
      />
    </Panel>
  );
}
