import type { AuditEntry } from "@florin/contract/audit.ts";
import { Json } from "../../components/code.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { pageOfId } from "../../shell/page-of-id.ts";

type Props = {
  readonly entry: AuditEntry | null;
  readonly onClose: () => void;
  /** True for an entry of the service-wide log. Its ids have no pages and it has no mode. */
  readonly serviceWide?: boolean;
};

/** One audit entry with the changed values. */
export function EntryDialog({ entry, onClose, serviceWide = false }: Props) {
  if (!entry) return null;
  const LinkedId = serviceWide ? Id : IdWithPage;
  const { actor, object_id, request_id } = entry;
  return (
    <Dialog open title={entry.summary} wide onClose={onClose}>
      <div className="grid grid-cols-1 gap-5">
        <KeyValues
          facts={[
            ["When", <DateTime key="when" at={entry.created} />],
            ["Who", actor.name ?? "The service"],
            actor.id ? ["Their id", <Id key="who" id={actor.id} />] : null,
            object_id ? ["What", <LinkedId key="what" id={object_id} />] : null,
            entry.reason ? ["Reason", entry.reason] : null,
            entry.ip ? ["From", entry.ip] : null,
            request_id ? ["Request", <LinkedId key="request" id={request_id} />] : null,
            serviceWide
              ? null
              : ["Mode", entry.livemode === null ? "Both" : entry.livemode ? "Live" : "Test"],
            [`Entry ${entry.number}`, <Hash key="hash" hash={entry.hash} />],
          ]}
        />
        {entry.before && <Facts label="Before" value={entry.before} />}
        {entry.after && <Facts label="After" value={entry.after} />}
      </div>
    </Dialog>
  );
}

function IdWithPage({ id }: { id: string }) {
  const to = pageOfId(id);
  return <Id id={id} {...(to && { to })} />;
}

function Hash({ hash }: { hash: string }) {
  return <code className="font-mono text-xs break-all text-ink-soft">{hash}</code>;
}

function Facts({ label, value }: { label: string; value: unknown }) {
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <h3 className="text-sm font-medium">{label}</h3>
      <Json label={label.toLowerCase()} value={value} />
    </div>
  );
}
