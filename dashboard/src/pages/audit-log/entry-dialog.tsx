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
  /** True for an entry of the service-wide log, which has no mode and whose IDs have no pages. */
  readonly serviceWide?: boolean;
};

/** The details of one audit entry, including the changed values. */
export function EntryDialog({ entry, onClose, serviceWide = false }: Props) {
  if (!entry) return null;
  const LinkedId = serviceWide ? Id : IdWithPage;
  const { actor, object_id, request_id } = entry;
  return (
    <Dialog open title={entry.summary} wide onClose={onClose}>
      <div className="grid grid-cols-1 gap-5">
        <KeyValues
          items={[
            ["Time", <DateTime key="time" at={entry.created} />],
            ["Actor", actor.name ?? "System"],
            actor.id ? ["Actor ID", <Id key="actor" id={actor.id} />] : null,
            object_id ? ["Object", <LinkedId key="object" id={object_id} />] : null,
            entry.reason ? ["Reason", entry.reason] : null,
            entry.ip ? ["IP address", entry.ip] : null,
            request_id ? ["Request", <LinkedId key="request" id={request_id} />] : null,
            serviceWide
              ? null
              : ["Mode", entry.livemode === null ? "Both" : entry.livemode ? "Live" : "Test"],
            [`Hash of entry ${entry.number}`, <Hash key="hash" hash={entry.hash} />],
          ]}
        />
        {entry.before && <ChangedValues label="Before" value={entry.before} />}
        {entry.after && <ChangedValues label="After" value={entry.after} />}
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

function ChangedValues({ label, value }: { label: string; value: unknown }) {
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <h3 className="text-sm font-medium">{label}</h3>
      <Json label={label.toLowerCase()} value={value} />
    </div>
  );
}
