-- Who may do what for a merchant, and who did it.

-- A person's place in the team of an account; both modes share it.
create table members (
  account_id  uuid not null references accounts,
  id          uuid not null,
  person_id   uuid not null,
  role        text not null check (role in ('owner', 'admin', 'developer', 'support', 'analyst')),
  primary key (account_id, id),
  unique (account_id, person_id)
);
-- The accounts of a person, after they signed in.
create index members_by_person on members (person_id);
