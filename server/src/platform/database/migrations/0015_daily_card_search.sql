-- The search for card data outside the vault runs once a day without an operator (docs/operating/card-data.md). A scheduled
-- run has a day instead of a person, and the unique constraint lets one of several processes insert it.
alter table checker_runs
  alter column asked_by drop not null,
  add column kind text not null default 'consistency'
    constraint checker_runs_kind check (kind in ('consistency', 'card_data')),
  add column day date,
  add constraint checker_runs_one_per_day unique (kind, day),
  add constraint checker_runs_requested_or_scheduled check ((asked_by is null) = (day is not null));

alter table checker_runs alter column kind drop default;

drop index checker_runs_open;
create index checker_runs_open on checker_runs (kind, id) where ended_at is null;
