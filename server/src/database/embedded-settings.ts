/**
 * How the default Postgres is set up. Nothing here weakens durability: `fsync`, `full_page_writes` and
 * `synchronous_commit` stay on, as Postgres has them by default.
 */
const settings = {
  // Sized for a small server that Postgres shares with Node. Whoever outgrows it sets DATABASE_URL.
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "8MB",
  maintenance_work_mem: "128MB",
  max_connections: "200",

  // A charge writes some 2.7 KB of WAL. Rare, spread-out checkpoints keep the full-page images, which make
  // up most of it, and the pauses of a checkpoint away from the path of a charge.
  max_wal_size: "4GB",
  min_wal_size: "256MB",
  wal_buffers: "16MB",
  // A backup that hangs keeps the log of what is written meanwhile; it fails before the disk is full.
  max_slot_wal_keep_size: "16GB",
  checkpoint_timeout: "15min",
  checkpoint_completion_target: "0.9",
  // A young database needs a new segment of 16 MB every second or so under load. Filled with zeros first, each is written
  // twice, and every commit waits for it. Its durability rests on the flush of what is written, not on the zeros.
  wal_init_zero: "off",

  // Solid-state disks: a random page costs about what the next one costs. And no statement here is long
  // enough to repay compiling it.
  random_page_cost: "1.1",
  jit: "off",

  // Loopback and a socket that only its owner may open: nothing of it can be reached from the network.
  listen_addresses: "127.0.0.1",
  unix_socket_permissions: "0700",

  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
  log_checkpoints: "off",
} as const;

/** `-c name=value` for each: they win over postgresql.conf, so a new version brings its own settings along. */
export function settingArguments(place: {
  port: number;
  socketDirectory: string | null;
}): string[] {
  const all = {
    ...settings,
    port: String(place.port),
    unix_socket_directories: place.socketDirectory ?? "",
  };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
