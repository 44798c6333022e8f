import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";

type Props = { readonly secret: string | null; readonly onClose: () => void };

/** Shows a key's secret, which is visible only once. */
export function RevealDialog({ secret, onClose }: Props) {
  return (
    <Dialog open={secret !== null} title="Your new API key" onClose={onClose}>
      <div className="grid gap-4">
        <Code text={secret ?? ""} label="API key" />
        <Notice tone="warning">
          Copy the key now. It is stored as a hash and cannot be shown again. Keep it on your
          server, and never put it in a page or a repository.
        </Notice>
        <div>
          <Button weight="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
