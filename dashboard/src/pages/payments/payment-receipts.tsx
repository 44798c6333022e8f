import type { Charge } from "@florin/contract/charge.ts";
import type { Receipt } from "@florin/contract/receipt.ts";
import { useState } from "react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { useService } from "../../api/use-service.ts";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Panel } from "../../components/panel.tsx";
import { showToast } from "../../components/toast.tsx";

/** The receipts that were emailed to the customer, and the button that sends one. */
export function PaymentReceipts({ charge }: { charge: Charge }) {
  const may = useMay();
  const [open, setOpen] = useState(false);
  const { data } = useObject<ListOf<Receipt>>(
    charge.status === "succeeded" ? "/receipts" : null,
    { charge_id: charge.id, limit: 5 },
    { asOf: charge.version },
  );
  if (charge.status !== "succeeded") return null;
  const receipts = data?.data ?? [];
  return (
    <Panel
      title="Receipts"
      actions={
        may("customers:write") && (
          <Button small onClick={() => setOpen(true)}>
            Send receipt
          </Button>
        )
      }
    >
      {receipts.length === 0 ? (
        <p className="text-ink-soft">No receipt was sent in the last 90 days.</p>
      ) : (
        <ul className="grid gap-2">
          {receipts.map(({ id, email, created, refund_id }) => (
            <li key={id}>
              <p className="break-words">{email}</p>
              <p className="text-sm text-ink-soft">
                {refund_id ? "Refund" : "Payment"} · <DateTime at={created} />
              </p>
            </li>
          ))}
        </ul>
      )}
      <SendReceiptDialog
        charge={charge}
        address={receipts[0]?.email ?? ""}
        open={open}
        onClose={() => setOpen(false)}
      />
    </Panel>
  );
}

type DialogProps = {
  readonly charge: Charge;
  readonly address: string;
  readonly open: boolean;
  readonly onClose: () => void;
};

function SendReceiptDialog({ charge, address, open, onClose }: DialogProps) {
  const isSent = useService()?.sends_email ?? true;
  const send = useOperation<string | undefined, Receipt>(
    (api, email, key) =>
      api.post("/receipts", { charge_id: charge.id, ...(email && { email }) }, key),
    {
      done: ({ email }) => {
        showToast(isSent ? `Receipt sent to ${email}.` : `Receipt for ${email} created.`);
        onClose();
      },
    },
  );
  return (
    <Dialog
      open={open}
      title="Send receipt"
      lead={`Emails a receipt of this payment, with your business details.${isSent ? "" : " This service has no mail server, so the email is created but not sent."}`}
      onClose={onClose}
    >
      <Form
        submit="Send"
        busy={send.pending}
        problem={send.problem}
        onSubmit={(form) => void send.run(textOf(form, "email"))}
        onCancel={onClose}
      >
        <TextField
          name="email"
          label="Email"
          hint="Leave it empty to use the address of the customer."
          type="email"
          defaultValue={address}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  );
}
