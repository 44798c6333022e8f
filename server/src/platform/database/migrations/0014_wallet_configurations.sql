-- How an account accepts Google Pay and Apple Pay in live mode. Test mode has the wallet of the simulator instead.
create table wallet_configurations (
  account_id          uuid not null,
  wallet              text not null,
  -- 'direct': the account's keys decrypt the tokens. 'gateway': the tokens are encrypted to an acquirer.
  integration         text not null,
  status              text not null,
  -- Google's merchant ID, or Apple's merchant identifier. Google assigns the ID when it approves the integration, and
  -- its test environment needs none.
  merchant_id         text,
  -- The merchant's name on the wallet's payment sheet.
  display_name        text not null,
  -- The file by which Apple verifies the domain of the card form. Null for Google Pay, and until it is uploaded.
  domain_association  text,
  updated_at          timestamptz not null,
  version             integer not null default 1,
  constraint wallet_configurations_pkey primary key (account_id, wallet),
  constraint wallet_configurations_account_exists foreign key (account_id) references accounts,
  constraint wallet_configurations_wallet_known check (wallet in ('google_pay', 'apple_pay')),
  constraint wallet_configurations_integration_known check (integration in ('direct', 'gateway')),
  constraint wallet_configurations_status_known check (status in ('enabled', 'disabled')),
  constraint wallet_configurations_merchant_id_form check (merchant_id ~ '^[A-Za-z0-9._-]{1,128}$'),
  constraint wallet_configurations_apple_pay_has_merchant_id check (wallet <> 'apple_pay' or merchant_id is not null),
  constraint wallet_configurations_display_name_length check (char_length(display_name) between 1 and 64),
  constraint wallet_configurations_domain_association_of_apple_pay check (
    domain_association is null or wallet = 'apple_pay'),
  constraint wallet_configurations_domain_association_length check (octet_length(domain_association) <= 16384)
);

-- The keys of an account at a wallet. Only their owner has the private keys: an account's tokens cannot be decrypted
-- with the keys of another.
create table wallet_keys (
  account_id              uuid not null,
  id                      uuid not null,
  wallet                  text not null,
  -- 'payment_processing': decrypts tokens. 'merchant_identity': authenticates the account to Apple.
  purpose                 text not null,
  -- 'pending': not registered at the wallet yet. 'current': in use. 'previous': decrypts tokens until expires_at.
  status                  text not null,
  -- The SubjectPublicKeyInfo.
  public_key              bytea not null,
  -- The private key (PKCS #8), encrypted by the key provider.
  private_key             bytea not null,
  -- The certificate that Apple issued for the key, in DER. Null until it is uploaded, and for Google Pay.
  certificate             bytea,
  certificate_expires_at  timestamptz,
  promoted_at             timestamptz,
  -- When a job deletes the previous key.
  expires_at              timestamptz,
  version                 integer not null default 1,
  constraint wallet_keys_pkey primary key (account_id, id),
  constraint wallet_keys_configuration_exists foreign key (account_id, wallet) references wallet_configurations,
  constraint wallet_keys_purpose_known check (purpose in ('payment_processing', 'merchant_identity')),
  constraint wallet_keys_status_known check (status in ('pending', 'current', 'previous')),
  constraint wallet_keys_google_pay_has_no_identity check (wallet <> 'google_pay' or purpose = 'payment_processing'),
  constraint wallet_keys_google_pay_has_no_certificate check (wallet <> 'google_pay' or certificate is null),
  constraint wallet_keys_certificate_has_expiry check ((certificate is null) = (certificate_expires_at is null)),
  constraint wallet_keys_apple_pay_certified_before_use check (
    wallet <> 'apple_pay' or status = 'pending' or certificate is not null),
  constraint wallet_keys_promoted_before_use check ((status = 'pending') = (promoted_at is null)),
  constraint wallet_keys_expiry_of_previous check ((status = 'previous') = (expires_at is not null))
);
create unique index wallet_keys_one_pending on wallet_keys (account_id, wallet, purpose) where status = 'pending';
create unique index wallet_keys_one_current on wallet_keys (account_id, wallet, purpose) where status = 'current';
create index wallet_keys_by_expiry on wallet_keys (expires_at) where status = 'previous';
create index wallet_keys_by_certificate_expiry on wallet_keys (certificate_expires_at)
  where status = 'current' and certificate_expires_at is not null;
