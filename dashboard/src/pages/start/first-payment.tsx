import type { Charge } from "@florin/contract/charge.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useOperation } from "../../api/use-operation.ts";
import { formatMoney } from "../../components/amount.ts";
import { Button } from "../../components/button.tsx";
import { PageLink } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { Problem } from "../../components/problem.tsx";
import { Examples } from "./examples.tsx";
import { firstCharge, keyPlaceholder } from "./snippets.ts";

/** Creates the first payment with a test card. Shows the latest succeeded payment, and no declined payments. */
export function FirstPayment({ secret }: { secret: string | null }) {
  const may = useMay();
  const { rows } = useList<Charge>(
    "/charges",
    { status: "succeeded" },
    { size: 1, everyMs: 3_000 },
  );
  const latest = rows[0];
  const pay = useOperation<void, Charge>((api, _none, key) =>
    api.post(
      "/charges",
      {
        amount: 1999,
        currency: "usd",
        payment_method_id: "pm_card_visa",
        description: "A first payment",
      },
      key,
    ),
  );
  return (
    <>
      <p className="max-w-2xl text-ink-soft">
        Run this request on your computer, or select Create test payment to run it here.{" "}
        <code>pm_card_visa</code> is a test card whose payments succeed.{" "}
        <a className="link" href="/docs/api/test-cards" target="_blank" rel="noreferrer">
          Other test cards
        </a>{" "}
        simulate declines.
      </p>
      <Examples
        label="Payment example"
        snippets={firstCharge(location.origin, secret ?? keyPlaceholder)}
      />
      {pay.problem && <Problem problem={pay.problem} />}
      <div className="flex flex-wrap items-center gap-4">
        <Button
          busy={pay.pending}
          unavailable={
            may("payments:write") ? null : "Your role does not have permission to create payments."
          }
          onClick={() => void pay.run()}
        >
          Create test payment
        </Button>
        {!latest && <span className="text-ink-soft">Waiting for the first payment…</span>}
      </div>
      {latest && (
        <Notice
          tone="positive"
          action={<PageLink to={`/payments/${latest.id}`}>View payment</PageLink>}
        >
          Latest payment: {formatMoney(latest.amount, latest.currency)}
        </Notice>
      )}
    </>
  );
}
