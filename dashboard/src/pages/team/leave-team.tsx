import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMembership } from "../../api/signed-in-person.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";

export function LeaveTeam() {
  const client = useQueryClient();
  const name = useMembership()?.account.name ?? "this account";
  const [confirming, setConfirming] = useState(false);
  const leave = useOperation<void, unknown>((api, _none, key) => api.post("/team/leave", {}, key), {
    done: () => {
      client.clear();
      location.assign("/dashboard");
    },
  });
  return (
    <>
      <Button weight="quiet" onClick={() => setConfirming(true)}>
        Leave team
      </Button>
      <ConfirmDialog
        open={confirming}
        title={`Leave ${isolateBidi(name)}`}
        lead="You lose access to this account until someone invites you again."
        submit="Leave team"
        operation={leave}
        onClose={() => setConfirming(false)}
      />
    </>
  );
}
