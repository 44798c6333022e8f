import type { Invitation } from "@florin/contract/team.ts";
import { useMay, useMayChangeShared } from "../../api/me.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { Problem } from "../../components/problem.tsx";
import { say } from "../../components/toast.tsx";

export function InvitationMenu({ invitation }: { invitation: Invitation }) {
  const may = useMay();
  const open = useMayChangeShared();
  const revoke = useOperation<void, Invitation>(
    (api, _none, key) => api.post(`/invitations/${invitation.id}/revoke`, {}, key),
    { done: () => say(`Invitation for ${invitation.email} revoked.`) },
  );
  if (!open || !may("team:write")) return null;
  if (revoke.problem) return <Problem problem={revoke.problem} />;
  return (
    <Button small weight="danger" busy={revoke.pending} onClick={() => void revoke.run()}>
      Revoke
    </Button>
  );
}
