import { connectAuditLog } from "@florin/server/app/connect-audit-log.ts";
import type { Config } from "@florin/server/config.ts";
import { createLog } from "@florin/server/log.ts";
import { connectDatabase, type Database } from "@florin/server/platform/database/database.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "@florin/server/platform/database/embedded.ts";
import { findCluster, noDatabase } from "@florin/server/platform/database/embedded-cluster.ts";
import { explainUnmigrated } from "@florin/server/platform/database/migrate.ts";
import { unreachable } from "@florin/server/platform/database/startup-error.ts";
import { verifyKeys } from "@florin/server/vault/key-checks.ts";
import {
  createLocalKeyProvider,
  type LocalKeyProvider,
} from "@florin/server/vault/local-key-provider.ts";

/**
 * Runs `work` on the service's database. Uses the built-in Postgres of a running server, or else starts the built-in
 * Postgres and stops it afterwards. Verifies the keys first, unless the command does that itself.
 */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database, keys: LocalKeyProvider) => Promise<Result>,
  { verify = true } = {},
): Promise<Result> {
  const postgres = config.databaseUrl === null ? await useEmbeddedPostgres(config) : null;
  const keys = createLocalKeyProvider(config.keysDirectory);
  const database = connectDatabase({
    url: config.databaseUrl ?? (postgres?.url as string),
    poolSize: 1,
    onIdleError: () => undefined,
    // Standard output contains the command's result, so copies of audit entries go to standard error. If standard error
    // is a terminal, no copies are written.
    audit: connectAuditLog(
      keys,
      process.stderr.isTTY ? null : createLog(config.logLevel, process.stderr),
    ),
  });
  try {
    // With a wrong key directory, the key provider would create new keys, and audit entries would get invalid HMACs.
    if (verify) await verifyKeys({ database, keys });
    return await work(database, keys);
  } catch (error) {
    const explained = config.databaseUrl && unreachable(config.databaseUrl, error);
    throw explained || (await explainUnmigrated(database.read, error));
  } finally {
    await database.close();
    await postgres?.stop();
  }
}

/**
 * Uses the built-in Postgres. Rejects a directory without a database, because only `florin start` may create one.
 */
async function useEmbeddedPostgres({
  dataDirectory: directory,
  walArchive,
}: Config): Promise<EmbeddedPostgres> {
  if (!(await findCluster(directory))) throw noDatabase(directory);
  return startEmbeddedPostgres({ directory, walArchive, log: (line) => console.error(line) });
}
