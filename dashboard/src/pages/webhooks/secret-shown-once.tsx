import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Notice } from "../../components/notice.tsx";

/** Shows a signing secret, only once. */
export function SecretShownOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="grid gap-4">
      <Notice tone="warning">
        It is shown now and never again. Keep it where your server keeps secrets.
      </Notice>
      <Code text={secret} label="the signing secret" wrap />
      <p className="text-ink-soft">
        With it your server checks the <code className="font-mono text-sm">Service-Signature</code>{" "}
        of each message before it believes a word of it.
      </p>
      <div>
        <Button weight="primary" onClick={onDone}>
          I have kept it
        </Button>
      </div>
    </div>
  );
}
