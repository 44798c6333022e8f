import type { Charge } from "@florin/contract/charge.ts";
import { amountColumn } from "../../components/amount-column.tsx";
import { Card } from "../../components/card.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import type { Column } from "../../components/table.tsx";
import { PaymentStatus } from "./payment-status.tsx";

/** The columns of a table of payments on another object's page, such as a customer's. */
export const paymentColumns: readonly Column<Charge>[] = [
  amountColumn,
  { title: "Status", cell: (charge) => <PaymentStatus charge={charge} /> },
  {
    title: "Card",
    from: "sm",
    below: "cell",
    cell: ({ payment_method_details: { card } }) => <Card {...card} />,
  },
  { title: "Created", align: "end", cell: ({ created }) => <DayAndTime at={created} /> },
];
