import { useState } from "react";
import { auth } from "../../api/auth.ts";
import { useMe } from "../../api/signed-in-person.ts";
import { useAuthOperation } from "../../api/use-auth.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

/** Below this number of remaining codes, the panel recommends new ones. */
const few = 3;

export function RecoveryCodesPanel() {
  const left = useMe().second_factors.recovery_codes_left;
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const renew = useAuthOperation(
    () => auth.post<{ recovery_codes: readonly string[] }>("/recovery_codes"),
    ({ recovery_codes }) => setCodes(recovery_codes),
  );
  return (
    <Panel
      title="Recovery codes"
      actions={
        <Button small busy={renew.pending} onClick={() => void renew.run(undefined)}>
          Create new codes
        </Button>
      }
    >
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
        <Badge tone={left < few ? "warning" : "neutral"}>{left} left</Badge>
        For sign-in if you lose your device. New codes replace the old ones.
      </p>
      {renew.problem && (
        <div className="mt-4">
          <Problem problem={renew.problem} />
        </div>
      )}
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />
    </Panel>
  );
}
