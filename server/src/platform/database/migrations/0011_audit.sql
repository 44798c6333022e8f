-- Audit log: authentication codes, append-only enforcement and the events of PCI DSS 10.2 that belong to no account.

-- HMAC-SHA-256 under a key that is not in the database. An entry's code covers its chain, number and hash. A head's code
-- covers the same facts under another label, so an earlier entry's code does not serve as the code of a shortened chain.
alter table audit_log add column mac bytea not null
  constraint audit_log_mac_is_sha256 check (length(mac) = 32);
-- Null while the chain has no entry.
alter table audit_heads add column mac bytea;
alter table audit_heads add constraint audit_heads_mac_with_entries check ((number = 0) = (mac is null));

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, tg_op using errcode = 'insufficient_privilege';
end $$;

create trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
create trigger audit_heads_are_kept before delete or truncate on audit_heads
  for each statement execute function refuse_audit_change();

-- A head only moves to the entry after it.
create function check_audit_head() returns trigger language plpgsql as $$
begin
  if new.account_id = old.account_id
     and (new is not distinct from old or (new.number = old.number + 1 and exists (
           select from audit_log l
            where l.account_id = new.account_id and l.number = new.number and l.hash = new.hash))) then
    return new;
  end if;
  raise exception 'audit_heads moves to the next entry of its chain only' using errcode = 'insufficient_privilege';
end $$;

create trigger audit_heads_move_forward before update on audit_heads
  for each row execute function check_audit_head();

-- Entries are written by a role that may insert and read, and may move a head. Roles belong to the whole cluster, so another
-- database may have created it already, or may be creating it now. A server on which the migrating role may not create roles
-- goes on without it: the triggers remain, and `florin doctor` prints a warning.
do $$
begin
  begin
    create role florin_audit nologin;
  exception
    when duplicate_object or unique_violation then null;
    when insufficient_privilege then
      raise warning 'the role florin_audit could not be created';
      return;
  end;
  begin
    if not pg_has_role(current_user, 'florin_audit', 'member') then
      execute format('grant florin_audit to %I', current_user);
    end if;
    grant select, insert on audit_log to florin_audit;
    grant select, insert, update on audit_heads to florin_audit;
  exception when insufficient_privilege then
    raise warning 'the role florin_audit could not be granted to %', current_user;
  end;
end $$;

-- Failed attempts to sign in, by minute and network. Complete minutes are moved to the audit log, one entry for each network.
create table failed_sign_ins (
  minute     timestamptz not null,
  -- An IPv4 address, or the /64 of an IPv6 address.
  network    text not null,
  kind       text not null constraint failed_sign_ins_kind
             check (kind in ('password', 'code', 'passkey')),
  -- The person whose address was given. The nil UUID stands for an address that nobody has: it is not kept, for what was
  -- typed may be a password.
  person_id  uuid not null,
  attempts   integer not null constraint failed_sign_ins_attempts check (attempts > 0),
  primary key (minute, network, kind, person_id)
);

-- The last sign-in of a person, to report those who have been inactive for 90 days (PCI DSS 8.2.6).
alter table people add column signed_in_at timestamptz;
create index people_by_activity on people (coalesce(signed_in_at, created_at(id)));

-- An operator's act that waits for a second operator to confirm it (FLORIN_FOUR_EYES).
create table operator_proposals (
  id           uuid primary key,
  kind         text not null constraint operator_proposals_kind check (kind in
               ('approve_application', 'change_terms', 'add_operator', 'reset_operator_factor', 'reset_member_factor')),
  -- Null for what belongs to no account.
  account_id   uuid references accounts,
  -- What is carried out, as it was proposed, and what the proposer saw before it.
  details      jsonb not null,
  reason       text not null,
  status       text not null constraint operator_proposals_status check (status in
               ('pending', 'confirmed', 'rejected', 'withdrawn', 'expired')),
  proposed_by  uuid not null references people,
  expires_at   timestamptz not null,
  decided_by   uuid references people,
  decided_at   timestamptz,
  constraint operator_proposals_decided check ((status = 'pending') = (decided_at is null)),
  constraint operator_proposals_decided_by check ((decided_by is null) = (status in ('pending', 'expired'))),
  constraint operator_proposals_four_eyes check (status <> 'confirmed' or decided_by <> proposed_by),
  constraint operator_proposals_withdrawn_by_proposer check (status <> 'withdrawn' or decided_by = proposed_by)
);
create index operator_proposals_pending on operator_proposals (expires_at) where status = 'pending';
