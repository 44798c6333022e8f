import { ReasonDialog } from "./reason-dialog.tsx";

const words = {
  button: "Reset two-step verification",
  title: "Reset two-step verification",
  lead: "Removes the passkeys, the authenticator app and the recovery codes, and ends all sessions. The password does not change. Verify the identity of this person first.",
  done: "Two-step verification reset.",
  weight: "danger",
} as const;

/** Resets the second factor of a person who cannot sign in. `of` is the API path of the operator or team member. */
export function ResetFactorDialog({
  of,
  hint,
  onClose,
}: {
  of: string;
  hint?: string;
  onClose: () => void;
}) {
  return (
    <ReasonDialog
      path={`${of}/reset_second_factor`}
      words={{ ...words, ...(hint && { hint }) }}
      onClose={onClose}
    />
  );
}
