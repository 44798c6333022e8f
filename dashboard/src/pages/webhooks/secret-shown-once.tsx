import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Notice } from "../../components/notice.tsx";

/** Shows a signing secret, which is visible only once. */
export function SecretShownOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="grid gap-4">
      <Notice tone="warning">Copy the secret now. It cannot be shown again.</Notice>
      <Code text={secret} label="signing secret" />
      <p className="text-ink-soft">
        Your server uses the secret to verify the{" "}
        <code className="font-mono text-sm">Service-Signature</code> header of each delivery.
      </p>
      <div>
        <Button weight="primary" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  );
}
