import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Dialog } from "../../components/dialog.tsx";

/** Shows new recovery codes, only once. */
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
      title="Keep these recovery codes"
      lead="Each signs you in once when your device is lost. They are shown now and never again: print them, or put them where your passwords are."
      onClose={onClose}
    >
      <div className="grid gap-5">
        <Code text={(codes ?? []).join("\n")} label="Recovery codes" />
        <div>
          <Button weight="primary" onClick={onClose}>
            I have kept them
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
