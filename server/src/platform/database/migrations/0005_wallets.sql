-- Payments with wallets. A token may create one payment method, until it expires.
create table wallet_token_uses (
  account_id           uuid not null,
  livemode             boolean not null,
  -- The SHA-256 of the identifier that the wallet signed into the token.
  token_hash           bytea not null,
  -- The session and the payment method that the token was used for. The same session may repeat the request.
  checkout_session_id  uuid not null,
  payment_method_id    uuid not null,
  -- When the token expires. A token is rejected after this time, so that its use need not be remembered.
  expires_at           timestamptz not null,
  constraint wallet_token_uses_pkey primary key (account_id, livemode, token_hash),
  constraint wallet_token_uses_account_exists foreign key (account_id) references accounts,
  constraint wallet_token_uses_hash_is_sha256 check (octet_length(token_hash) = 32)
);
create index wallet_token_uses_by_expiry on wallet_token_uses (expires_at);

-- The wallet from which the card came. Null if the card was typed.
alter table payment_methods add column wallet text;

-- The electronic commerce indicator of an authorization with a network token.
alter table simulator.authorizations add column eci text;
