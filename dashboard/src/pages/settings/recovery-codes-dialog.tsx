import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Dialog } from "../../components/dialog.tsx";

/** Shows new recovery codes, which are visible only once. */
export function RecoveryCodesDialog({
  codes,
  onClose,
}: {
  codes: readonly string[] | null;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={codes !== null}
      title="Save your recovery codes"
      lead="Each code signs you in once if you lose your device. The codes are shown only now. Print them or save them in your password manager."
      onClose={onClose}
    >
      <div className="grid gap-5">
        <Code text={(codes ?? []).join("\n")} label="recovery codes" />
        <div>
          <Button weight="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
