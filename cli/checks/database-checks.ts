import { setTimeout as sleep } from "node:timers/promises";
import { maxDatabaseConnections } from "@florin/server/app/database-connections.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import { readClockOffset, readWalArchive } from "@florin/server/insights/monitoring/health.sql.ts";
import { readLatestServiceEntry } from "@florin/server/platform/audit/audit.sql.ts";
import { readAuditProtection } from "@florin/server/platform/audit/audit-protection.ts";
import { isRemote } from "@florin/server/platform/database/connection-options.ts";
import {
  type DatabaseIdentity,
  identify,
  identifyAt,
} from "@florin/server/platform/database/database-identity.ts";
import { minPostgresVersion } from "@florin/server/platform/database/migrate.ts";
import { logPosition } from "@florin/server/platform/database/replica.ts";
import type { Sql } from "@florin/server/platform/database/sql.ts";
import { type Check, type DatabaseContext, defineCheck, isPublic } from "./check.ts";

const check = defineCheck<DatabaseContext>();

/** Checks of Postgres's configuration and of the service's role in it. */
export const databaseChecks: readonly Check<DatabaseContext>[] = [
  check({
    name: "database-version",
    about: "Postgres is 17 or newer.",
    outcomes: {
      old: {
        severity: "failed",
        when: "Postgres is older than 17",
        means: "The service uses SQL that older versions do not support.",
        fix: "Upgrade Postgres.",
      },
    },
    async find({ database }) {
      const version = await settingOf(database.read, "server_version_num");
      return Number(version) < minPostgresVersion ? { outcome: "old", detail: version } : null;
    },
  }),
  check({
    name: "database-encoding",
    about: "The encoding of the database is UTF8.",
    outcomes: {
      other: {
        severity: "failed",
        when: "the encoding of the database is not UTF8",
        means: "The service cannot create its tables.",
        fix: "Create the database again, as described under [database](production.md#database).",
      },
    },
    async find({ database }) {
      const encoding = await settingOf(database.read, "server_encoding");
      return encoding === "UTF8" ? null : { outcome: "other", detail: encoding };
    },
  }),
  check({
    name: "database-durability",
    about: "None of `fsync`, `full_page_writes` and `synchronous_commit` is off.",
    outcomes: {
      off: {
        severity: "failed",
        when: "`fsync`, `full_page_writes` or `synchronous_commit` is off, and other machines reach the server",
        means:
          "A crash can lose the records of payments that the acquirer has executed, or damage the database.",
        fix: "Turn on each of these settings in `postgresql.conf`, and remove any other value that is set for the database or the role.",
      },
      "off-local": {
        severity: "warning",
        when: "`fsync`, `full_page_writes` or `synchronous_commit` is off",
        means: "A crash can lose payments or damage the database.",
        fix: "Turn on each of these settings. For tests, you can ignore this warning.",
      },
    },
    async find({ config, database }) {
      const off: string[] = [];
      for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) {
        if ((await settingOf(database.read, name)) === "off") off.push(name);
      }
      if (off.length === 0) return null;
      return { outcome: isPublic(config) ? "off" : "off-local", detail: off.join(", ") };
    },
  }),
  check({
    name: "database-connections",
    about: "Postgres accepts as many connections as the service can open.",
    outcomes: {
      few: {
        severity: "failed",
        when: "Postgres accepts fewer connections than the service can open",
        means:
          "Under load, requests and background jobs would fail because they could not get a database connection.",
        fix: "Increase `max_connections` in `postgresql.conf` and the connection limits of the role and the database, or decrease `FLORIN_PROCESSES` or `FLORIN_DATABASE_POOL`. Other servers and programs that use this Postgres need connections as well.",
      },
    },
    async find({ config, database }) {
      const needed = maxDatabaseConnections(config);
      const accepted = await readMaxConnections(database.read);
      return accepted < needed
        ? { outcome: "few", detail: `${accepted} accepted, ${needed} needed` }
        : null;
    },
  }),
  check({
    name: "database-role",
    about:
      "The service's role in Postgres has no administrative privileges, or the server can be reached only from this machine.",
    outcomes: {
      powerful: {
        severity: "warning",
        when: "the role in `DATABASE_URL` is a superuser, or can create roles, replicate or bypass row security, and other machines reach the server",
        means: "A vulnerability in the service would expose the whole Postgres server.",
        fix: "Create a role as described under [database](production.md#database), and make it the owner of the database.",
      },
    },
    async find({ config, database }) {
      // The built-in Postgres has no other databases, and only its system user can connect to it.
      if (config.databaseUrl === null || !isPublic(config)) return null;
      const [role] = await database.read<{ name: string; powerful: boolean }>`
        select rolname as name, rolsuper or rolcreaterole or rolreplication or rolbypassrls as powerful
          from pg_roles
         where rolname = current_user
      `;
      return role?.powerful ? { outcome: "powerful", detail: role.name } : null;
    },
  }),
  check({
    name: "database-connection",
    about: "The connection to Postgres is local or encrypted.",
    outcomes: {
      unencrypted: {
        severity: "warning",
        when: "the connection to Postgres on another host is not encrypted",
        means: "An attacker on the network path can read and change payments.",
        fix: "Remove `FLORIN_DATABASE_TLS`, and set `ssl = on` in Postgres.",
      },
    },
    async find({ config, database }) {
      if (config.databaseUrl === null || !isRemote(config.databaseUrl)) return null;
      const [connection] = await database.read<{ ssl: boolean }>`
        select ssl from pg_stat_ssl where pid = pg_backend_pid()
      `;
      return connection?.ssl ? null : { outcome: "unencrypted" };
    },
  }),
  check({
    name: "database-replica",
    about: "`FLORIN_REPLICA_URL` points to a standby of the database, or is not set.",
    outcomes: {
      other: {
        severity: "failed",
        when: "`FLORIN_REPLICA_URL` points to a standby of a different database than `DATABASE_URL`",
        means: "Lists, downloads and metrics would contain the data of the other database.",
        fix: "Set `FLORIN_REPLICA_URL` to a [standby](high-availability.md#read-replicas) of the database, or remove it.",
      },
      primary: {
        severity: "warning",
        when: "the Postgres server in `FLORIN_REPLICA_URL` is not a standby",
        means: "It serves no reads. The primary serves all of them.",
        fix: "Set `FLORIN_REPLICA_URL` to a [standby](high-availability.md#read-replicas), or remove it.",
      },
      ahead: {
        severity: "warning",
        when: "the standby in `FLORIN_REPLICA_URL` has replayed more of the log than the primary has written",
        means:
          "The standby follows another primary, for example the database before a restore. It serves no reads. The primary serves all of them.",
        fix: "Create the standby again from the primary in `DATABASE_URL`.",
      },
      behind: {
        severity: "warning",
        when: "the standby in `FLORIN_REPLICA_URL` does not replay the primary's log within three seconds",
        means: "The standby serves no reads while it lags. The primary serves them.",
        fix: "Check the replication in Postgres's log. If the primary was restored from a backup, create the standby again.",
      },
      unreachable: {
        severity: "warning",
        when: "Florin cannot connect to the Postgres server in `FLORIN_REPLICA_URL`",
        means: "It serves no reads. The primary serves all of them.",
        fix: "Start the standby, or correct `FLORIN_REPLICA_URL`.",
      },
    },
    async find({ config, database }) {
      const url = config.replicaUrl;
      if (url === null) return null;
      const own = await identify(database.read);
      let replica: DatabaseIdentity;
      try {
        replica = await identifyAt(url);
        for (let waits = 0; waits < 10 && isLagging(replica, own); waits++) {
          await sleep(300);
          replica = await identifyAt(url);
        }
      } catch (error) {
        return { outcome: "unreachable", detail: (error as Error).message };
      }
      if (!replica.isStandby) return { outcome: "primary" };
      if (!isSameDatabase(replica, own)) return { outcome: "other" };
      if (isLagging(replica, own)) return { outcome: "behind" };
      const primary = await identify(database.read);
      return logPosition(primary.position) < logPosition(replica.position)
        ? { outcome: "ahead" }
        : null;
    },
  }),
  check({
    name: "wal-archive",
    about: "The database's log is archived, or `FLORIN_WAL_ARCHIVE` is not set.",
    outcomes: {
      off: {
        severity: "warning",
        when: "`FLORIN_WAL_ARCHIVE` is set, but the running built-in Postgres was started without it",
        means: "A restore loses everything since the last backup.",
        fix: "Restart Florin with this setting, and take a backup.",
      },
      failing: {
        severity: "warning",
        when: "the built-in Postgres cannot archive its log, or is more than 16 segments behind",
        means:
          "If the database's disk fails, the payments since the last archived segment are lost. Postgres keeps its log until it is archived, and stops when its disk is full.",
        fix: "See [FlorinWalArchiveBehind](when-something-is-wrong.md#florinwalarchivebehind).",
      },
    },
    async find({ config, database }) {
      if (config.walArchive === null) return null;
      const archive = await readWalArchive(database.read);
      if (archive === null) return { outcome: "off" };
      return archive.failing || archive.pendingSegments > 16 ? { outcome: "failing" } : null;
    },
  }),
  check({
    name: "audit-log",
    about: "The audit log is written by an insert-only role and protected by triggers.",
    outcomes: {
      unprotected: {
        severity: "warning",
        when: "the role `florin_audit` is missing or lacks privileges, or a trigger of the audit log is missing or disabled",
        means:
          "The service's role in Postgres can change or delete entries. `florin verify` still detects such changes, because each entry has an HMAC.",
        fix: "Create the role and enable the triggers, as described in [Audit log](audit-log.md).",
      },
    },
    async find({ database }) {
      if (!(await isMigrated(database.read))) return null;
      const { warnings } = await readAuditProtection(database.read);
      return warnings.length > 0 ? { outcome: "unprotected" } : null;
    },
  }),
  check({
    name: "clock",
    about:
      "This machine's clock agrees with Postgres's, and no entry of the service-wide audit log is from the future.",
    outcomes: {
      differs: {
        severity: "warning",
        when: "the clocks differ by more than ten seconds",
        means:
          "One of the clocks is wrong. Idempotency keys expire by Postgres's clock, and everything else by this machine's.",
        fix: "Synchronize both clocks with NTP. [The clock](production.md#the-clock) describes the effects of a wrong clock.",
      },
      future: {
        severity: "warning",
        when: "the service-wide audit log has an entry from more than five minutes in the future",
        means:
          "The clock of this machine is behind, or the clock was ahead when the entry was written. Work that was scheduled with a wrong clock is late.",
        fix: "Synchronize the clock. [The clock](production.md#the-clock) describes the records that keep the wrong time.",
      },
    },
    async find({ database }) {
      const offsetMs = await readClockOffset(database.read, systemClock);
      if (Math.abs(offsetMs) > 10_000) {
        const seconds = Math.round(Math.abs(offsetMs) / 1000);
        const detail = `this machine's clock is ${seconds} s ${offsetMs > 0 ? "ahead" : "behind"}`;
        return { outcome: "differs", detail };
      }
      if (!(await isMigrated(database.read))) return null;
      const latest = await readLatestServiceEntry(database.read);
      if (latest === null || latest.getTime() - systemClock.now().getTime() < 5 * 60_000) {
        return null;
      }
      return { outcome: "future", detail: latest.toISOString() };
    },
  }),
];

function isSameDatabase(one: DatabaseIdentity, other: DatabaseIdentity): boolean {
  return one.cluster === other.cluster && one.name === other.name;
}

/** Returns whether a standby of the database has not replayed the log up to the primary's position. */
function isLagging(replica: DatabaseIdentity, primary: DatabaseIdentity): boolean {
  return (
    replica.isStandby &&
    isSameDatabase(replica, primary) &&
    logPosition(replica.position) < logPosition(primary.position)
  );
}

/** Returns whether a server has created its tables in this database. */
export async function isMigrated(read: Sql): Promise<boolean> {
  const [row] = await read<{ migrated: boolean }>`
    select to_regclass('audit_log') is not null and to_regclass('key_checks') is not null as migrated
  `;
  return row?.migrated === true;
}

/** Returns the number of connections that Postgres accepts for the service's role and database. */
async function readMaxConnections(read: Sql): Promise<number> {
  const [row] = await read<{ accepted: number }>`
    select least(
             current_setting('max_connections')::int
               - current_setting('superuser_reserved_connections')::int
               - coalesce(current_setting('reserved_connections', true)::int, 0),
             nullif((select rolconnlimit from pg_roles where rolname = current_user), -1),
             nullif((select datconnlimit from pg_database where datname = current_database()), -1)
           ) as accepted
  `;
  return row?.accepted ?? 0;
}

async function settingOf(read: Sql, name: string): Promise<string> {
  const [row] = await read<{ value: string }>`select current_setting(${name}) as value`;
  return row?.value ?? "";
}
