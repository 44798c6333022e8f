import type { Customer } from "@florin/contract/customer.ts";
import type { PaymentMethod, UpdateReason } from "@florin/contract/payment-method.ts";
import { useState } from "react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Badge, inWords } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { PageLink } from "../../components/link.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";
import { savedByLabels } from "./saved-by-labels.ts";

const columns: readonly Column<PaymentMethod>[] = [
  { title: "Card", cell: ({ card }) => <Card {...card} /> },
  {
    title: "Expires",
    cell: ({ card, update_required }) => (
      <Expiry {...card} reason={update_required?.reason ?? null} />
    ),
  },
  {
    title: "Type",
    from: "sm",
    below: "cell",
    cell: ({ card }) => (
      <span className="text-ink-soft">
        {[inWords(card.funding), card.country].filter(Boolean).join(", ")}
      </span>
    ),
  },
  {
    title: "Saved by",
    from: "sm",
    below: "cell",
    cell: (method) => <SavedBy {...method} />,
  },
  { title: "Saved", from: "md", cell: ({ created }) => <DateTime at={created} only="day" /> },
];

/** The cards that the customer agreed to save. */
export function SavedCards({ customer }: { customer: Customer }) {
  const query = { customer_id: customer.id, limit: 100 };
  const { data, isPending, error } = useObject<ListOf<PaymentMethod>>("/payment_methods", query);
  const [leaving, setLeaving] = useState<PaymentMethod | null>(null);
  const may = useMay();
  const detach = useOperation<void, PaymentMethod>(
    (api, _none, key) => api.post(`/payment_methods/${leaving?.id}/detach`, {}, key),
    {
      done: () => {
        showToast("Card removed.");
        setLeaving(null);
      },
    },
  );
  const remove: Column<PaymentMethod> = {
    title: "Remove",
    align: "end",
    cell: (method) => (
      <Button small weight="quiet" onClick={() => setLeaving(method)}>
        Remove
        {method.card.last4 !== null && (
          <span className="sr-only"> the card ending in {method.card.last4}</span>
        )}
      </Button>
    ),
  };
  return (
    <Panel title="Saved cards" flush>
      <Table
        label="Saved cards"
        columns={may("customers:write") ? [...columns, remove] : columns}
        rows={data?.data ?? []}
        keyOf={({ id }) => id}
        pending={isPending}
        problem={error}
        empty={
          <p className="p-4 text-ink-soft sm:p-5">
            No saved cards. A card is saved when the customer agrees to save it in the card form.
          </p>
        }
      />
      <ConfirmDialog
        open={leaving !== null}
        title="Remove card"
        lead="You can no longer charge the card. The customer can save the card again."
        submit="Remove"
        operation={detach}
        onClose={() => setLeaving(null)}
      />
    </Panel>
  );
}

/** The way in which the card was saved, with a link to the checkout session in which the customer entered it. */
function SavedBy({ saved_by, checkout_session_id }: PaymentMethod) {
  if (saved_by === null) return null;
  const label = savedByLabels[saved_by];
  if (checkout_session_id === null) return label;
  return <PageLink to={`/checkout-sessions/${checkout_session_id}`}>{label}</PageLink>;
}

/** The reports of card networks after which the customer must enter the card again. */
const updateReasons: Readonly<Record<UpdateReason, string>> = {
  expired: "Expired",
  card_replaced: "Replaced by a new card",
  account_closed: "Account closed",
  contact_cardholder: "Contact the customer",
};

type ExpiryProps = {
  readonly exp_month: number | null;
  readonly exp_year: number | null;
  readonly reason: UpdateReason | null;
};

function Expiry({ exp_month, exp_year, reason }: ExpiryProps) {
  if (exp_month === null || exp_year === null) return null;
  const over = new Date(exp_year, exp_month) <= new Date();
  const label = reason === null ? (over ? updateReasons.expired : null) : updateReasons[reason];
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 tabular-nums">
      {String(exp_month).padStart(2, "0")} / {exp_year}
      {label && <Badge tone="warning">{label}</Badge>}
    </span>
  );
}
