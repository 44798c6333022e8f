import type { Balance } from "@florin/contract/balance.ts";
import { useState } from "react";
import { useMay } from "../../api/signed-in-person.ts";
import { useApi } from "../../api/use-api.ts";
import { useObject } from "../../api/use-object.ts";
import { Button } from "../../components/button.tsx";
import { PayoutDialog } from "./payout-dialog.tsx";

/**
 * The payout button and its dialog, for people with the permission. Live mode has no button, because the acquirer pays
 * the balance on its own schedule.
 */
export function PayoutButton() {
  const { data: balance } = useObject<Balance>("/balance");
  const [paying, setPaying] = useState(false);
  const may = useMay();
  const { mode } = useApi().scope;
  const payable = balance?.available.filter(({ amount }) => amount > 0) ?? [];
  if (mode === "live" || !may("payouts:write")) return null;
  return (
    <>
      <Button
        weight="primary"
        unavailable={balance && payable.length === 0 ? "No balance is available yet." : null}
        onClick={() => setPaying(true)}
      >
        Pay out
      </Button>
      {paying && <PayoutDialog available={payable} onClose={() => setPaying(false)} />}
    </>
  );
}
