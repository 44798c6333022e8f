import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";

type Props = { readonly secret: string | null; readonly onClose: () => void };

/** Shows a key's secret, which is visible only once. */
export function RevealDialog({ secret, onClose }: Props) {
  return (
    <Dialog open={secret !== null} title="Your new key" onClose={onClose}>
      <div className="grid gap-4">
        <Code text={secret ?? ""} label="key" wrap />
        <Notice tone="warning">
          Copy it now: only a hash of it is kept, and it is not shown again. It belongs on your
          server, never into a page or a repository.
        </Notice>
        <div>
          <Button weight="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
