import type { ApiKey } from "@florin/contract/api-key.ts";
import { permissions as meanings } from "@florin/contract/permissions.ts";
import { useState } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";

/** The permissions of a key: "Full access", or a list that the person can expand. */
export function KeyPermissions({ apiKey: { name, permissions } }: { apiKey: ApiKey }) {
  const [open, setOpen] = useState(false);
  if (!permissions) return <span className="text-ink-soft">Full access</span>;
  const count = permissions.length;
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {count} {count === 1 ? "permission" : "permissions"}
      </button>
      <Dialog
        open={open}
        title={`Permissions of ${isolateBidi(name)}`}
        onClose={() => setOpen(false)}
      >
        <dl className="grid gap-3">
          {permissions.map((permission) => (
            <div key={permission}>
              <dt className="font-mono text-xs font-medium">{permission}</dt>
              <dd className="text-sm text-ink-soft">{meanings[permission]}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  );
}
