import type { AuditEntry } from "@florin/contract/audit.ts";
import { serviceAuditActions } from "@florin/contract/audit-actions.ts";
import { Download } from "lucide-react";
import { adminPath, useAdminList } from "../../api/admin.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { buttonStyle } from "../../components/button.tsx";
import { choiceFilter, daysFilter, queryOf, textFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Page } from "../../components/page.tsx";
import { AuditEntries } from "../audit-log/audit-entries.tsx";

const filters = [
  choiceFilter("action", "Action", Object.entries(serviceAuditActions), { single: true }),
  daysFilter("created", "Date"),
  textFilter("actor_id", "Person", "The ID of a person (per_…)."),
  textFilter("object_id", "Object", "The ID of the object that was changed or read."),
];

/** The service-wide audit log, for entries that concern no account or several accounts. */
export function ServiceAuditPage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useAdminList<AuditEntry>("/audit", query);
  return (
    <Page
      title="Audit log"
      lead="Sign-ins, credentials, operators, keys and backups. Changes to an account are in the audit log of that account."
      actions={
        <a className={buttonStyle()} href={adminPath("/audit.csv", query)} download>
          <Download aria-hidden="true" className="size-4 shrink-0" />
          Download CSV
        </a>
      }
    >
      <Filters filters={filters} />
      <AuditEntries list={list} empty="No entries match these filters." serviceWide />
    </Page>
  );
}
