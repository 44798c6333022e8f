-- The domains of the pages on which customers see the Apple Pay button. Each is registered with Apple for the merchant
-- identifier: the domain of the hosted payment page, and those of the shops that embed the card form.
alter table wallet_configurations add column domains text[] not null default '{}';
