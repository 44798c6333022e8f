/**
 * Settings of the built-in Postgres. None weakens durability: `fsync`, `full_page_writes` and `synchronous_commit` keep
 * their default, on.
 */
const settings = {
  // Sized for a small server that Postgres shares with Node. A larger installation sets DATABASE_URL.
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "8MB",
  maintenance_work_mem: "128MB",

  // Under load, a charge writes more than 5 KB of WAL (docs/operating/scaling.md). Less of it is full-page images if
  // checkpoints are less frequent. Spreading each checkpoint over time prevents it from delaying charges.
  max_wal_size: "4GB",
  min_wal_size: "256MB",
  wal_buffers: "16MB",
  // A hanging backup retains all WAL since its start. With this limit, the backup fails before the disk is full.
  max_slot_wal_keep_size: "16GB",
  checkpoint_timeout: "15min",
  checkpoint_completion_target: "0.9",
  // Under load, a new database needs a new 16 MB segment about every second. Filling each segment with zeros first
  // would write it twice, and every commit would wait for that. Durability does not depend on the zeros.
  wal_init_zero: "off",

  // Postgres listens only on loopback and on a socket that only its owner can open, so it is unreachable from the
  // network.
  listen_addresses: "127.0.0.1",
  unix_socket_permissions: "0700",

  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
  log_checkpoints: "off",
} as const;

const minMaxConnections = 200;

/**
 * The connections in addition to those of the service: for `florin` commands, for people, and a few that Postgres
 * reserves for superusers.
 */
const spareConnections = 20;

/** Returns the value of `max_connections` for a service that needs this number of connections. */
export function maxConnectionsFor(connections: number): number {
  return Math.max(minMaxConnections, connections + spareConnections);
}

/**
 * Returns `-c name=value` for each setting. Arguments override postgresql.conf, so an upgrade of Florin applies its
 * settings to an existing database.
 */
export function settingArguments(
  place: { port: number; socketDirectory: string | null },
  further: Readonly<Record<string, string>> = {},
): string[] {
  const all = {
    ...settings,
    ...further,
    port: String(place.port),
    unix_socket_directories: place.socketDirectory ?? "",
  };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
