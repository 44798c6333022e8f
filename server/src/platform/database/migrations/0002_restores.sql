-- The restores of this database to an earlier moment (docs/operating/backup-and-restore.md). Each is recorded by
-- `florin restore`, which also applies this file, because a backup can be older than the table.
create table if not exists restores (
  restored_at  timestamptz not null,
  -- Everything that was acknowledged before this moment is in the database.
  restored_to  timestamptz not null,
  constraint restores_pkey primary key (restored_at)
);
