import type { PaymentMethod } from "@florin/contract/payment-method.ts";
import { useObject } from "../../api/use-object.ts";
import { Card } from "../../components/card.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Panel } from "../../components/panel.tsx";
import { savedByLabels } from "../customers/saved-by-labels.ts";

/** The card that a session of mode `setup` has saved. */
export function SavedCard({ id }: { id: string | null }) {
  return (
    <Panel title="Saved card">
      {id === null ? (
        <p className="text-ink-soft">The customer has not saved a card yet.</p>
      ) : (
        <CardDetails id={id} />
      )}
    </Panel>
  );
}

function CardDetails({ id }: { id: string }) {
  const { data: method } = useObject<PaymentMethod>(`/payment_methods/${id}`);
  if (!method) return null;
  const { card, customer_id, saved_by } = method;
  return (
    <KeyValues
      items={[
        ["Card", <Card key="card" {...card} />],
        ["Payment method", <Id key="pm" id={id} brief />],
        ["Saved by", saved_by === null ? "Removed from the customer" : savedByLabels[saved_by]],
        customer_id !== null && [
          "Customer",
          <Id key="cus" id={customer_id} to={`/customers/${customer_id}`} brief />,
        ],
      ]}
    />
  );
}
