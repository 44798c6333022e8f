-- One value per key of the key provider, by which a server recognises at its start that it was given the keys that this
-- database was written with. An empty or wrong key directory would otherwise get new keys, under which no API key is
-- known and no stored card can be decrypted.
create table key_checks (
  -- `test.1`, `live.2`: a key-encryption key. `test.fingerprint`: a key for HMACs.
  key_id        text not null,
  livemode      boolean not null,
  kind          text not null,
  -- A known text, encrypted with the key or its HMAC. Neither says anything of the key.
  check_value   bytea not null,
  registered_at timestamptz not null,
  -- Nothing in the database is encrypted with it any more, so that its file may be removed.
  retired_at    timestamptz,
  constraint key_checks_pkey primary key (key_id),
  constraint key_checks_kind_known check (kind in ('encryption', 'hmac')),
  constraint key_checks_hmac_never_retired check (kind = 'encryption' or retired_at is null)
);
