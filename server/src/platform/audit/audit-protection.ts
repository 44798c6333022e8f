import type { Sql } from "../database/sql.ts";

/** The database's protection of the audit log, in addition to the authentication codes. */
export type AuditProtection = {
  /** True when entries are written by an insert-only role. */
  readonly role: boolean;
  /** True when triggers reject updates and deletes. */
  readonly triggers: boolean;
  /** One message per missing protection, with its fix. Empty when everything is in place. */
  readonly warnings: readonly string[];
};

/** Returns which protections of the audit log this database has, for `florin doctor`. */
export async function readAuditProtection(read: Sql): Promise<AuditProtection> {
  const [found] = await read<{ role: boolean; triggers: boolean }>`
    select exists (
             select from pg_roles
              where rolname = 'florin_audit' and pg_has_role(rolname, 'member')
                and has_table_privilege(rolname, 'audit_log', 'insert')
                and has_table_privilege(rolname, 'audit_heads', 'insert')
                and has_table_privilege(rolname, 'audit_heads', 'update')) as role,
           (select count(*) = 3 from pg_trigger
             where tgname in ('audit_log_append_only', 'audit_heads_not_deletable', 'audit_heads_advance_only')
               and tgrelid in ('audit_log'::regclass, 'audit_heads'::regclass)
               and tgenabled in ('O', 'A')) as triggers
  `;
  const role = found?.role ?? false;
  const triggers = found?.triggers ?? false;
  const warnings = [
    ...(role ? [] : [noRole]),
    ...(triggers
      ? []
      : [
          "A trigger of the audit log is disabled or missing. Enable the triggers as described in docs/operating/audit-log.md.",
        ]),
  ];
  return { role, triggers, warnings };
}

const noRole =
  "The service's own database role writes the audit log, because the role florin_audit does not exist, is not granted to the service's role, or lacks a permission. As a superuser, run the statements for the role in docs/operating/audit-log.md.";
