import type { AuditEntry } from "@florin/contract/audit.ts";
import { auditActions } from "@florin/contract/audit-actions.ts";
import { useList } from "../../api/use-list.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { choiceFilter, daysFilter, queryOf, textFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Page } from "../../components/page.tsx";
import { AuditEntries } from "./audit-entries.tsx";

const filters = [
  choiceFilter("action", "Action", Object.entries(auditActions), { single: true }),
  daysFilter("created", "Date"),
  textFilter("actor_id", "Actor", "The ID of a person (per_…) or an API key (key_…)."),
  textFilter("object_id", "Object", "The ID of the changed object."),
];

/** The audit log of the account. Entries are append-only. */
export function AuditLogPage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<AuditEntry>("/audit_log", query);
  return (
    <Page
      title="Audit log"
      lead="Who changed what in this account, and when. Entries cannot be edited, and each contains the hash of the previous one."
    >
      <Filters filters={filters} />
      <AuditEntries
        list={list}
        empty={
          Object.keys(query).length > 0
            ? "No entries match these filters."
            : "Changes to API keys, team members and webhooks appear here, as well as manual payouts and refunds."
        }
      />
    </Page>
  );
}
