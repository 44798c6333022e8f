-- A card that is detached while a charge of it is in progress is erased when the charge has ended. The index is the
-- queue of these cards. It is empty most of the time and costs other cards nothing.
alter table vault_cards
  add column erase_requested_at timestamptz;

create index vault_cards_to_erase on vault_cards (erase_requested_at) where erase_requested_at is not null;
