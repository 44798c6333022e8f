import type { WalletIntegration, WalletStatus } from "@florin/contract/operator-wallets.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { type AccountId, idFromUuid, uuidOf } from "../../../core/ids.ts";
import type { Sql, Tx } from "../../../platform/database/sql.ts";
import type { WalletConfiguration } from "./wallet-configuration.ts";

type ConfigurationRow = {
  account_id: string;
  wallet: DigitalWallet;
  integration: WalletIntegration;
  status: WalletStatus;
  merchant_id: string | null;
  display_name: string;
  domains: string[];
  domain_association: string | null;
  domain_association_stored_at: Date | null;
  updated_at: Date;
  version: number;
};

export async function listConfigurations(
  read: Sql,
  account: AccountId,
): Promise<WalletConfiguration[]> {
  // Descending, so that `google_pay` is first. The card form shows the buttons in this order.
  const rows = await read<ConfigurationRow>`
    select * from wallet_configurations where account_id = ${uuidOf(account)} order by wallet desc
  `;
  return rows.map(toConfiguration);
}

export async function readConfiguration(
  read: Sql,
  account: AccountId,
  wallet: DigitalWallet,
): Promise<WalletConfiguration | null> {
  const [row] = await read<ConfigurationRow>`
    select * from wallet_configurations where account_id = ${uuidOf(account)} and wallet = ${wallet}
  `;
  return row ? toConfiguration(row) : null;
}

/**
 * Returns the configuration, and locks it until the end of the transaction. A transaction that changes the merchant
 * identifier and one that changes a certificate with this identifier change different rows. The lock prevents them from
 * running concurrently.
 */
export async function lockConfiguration(
  tx: Tx,
  account: AccountId,
  wallet: DigitalWallet,
): Promise<WalletConfiguration | null> {
  const [row] = await tx<ConfigurationRow>`
    select * from wallet_configurations where account_id = ${uuidOf(account)} and wallet = ${wallet} for update
  `;
  return row ? toConfiguration(row) : null;
}

/** Inserts the configuration. Returns false if the account already has one for the wallet. */
export async function insertConfiguration(
  tx: Tx,
  configuration: WalletConfiguration,
): Promise<boolean> {
  const { account, wallet, integration, status, merchantId, displayName } = configuration;
  const { domains, domainAssociation, updatedAt } = configuration;
  const rows = await tx`
    insert into wallet_configurations (
      account_id, wallet, integration, status, merchant_id, display_name, domains, domain_association,
      domain_association_stored_at, updated_at
    ) values (
      ${uuidOf(account)}, ${wallet}, ${integration}, ${status}, ${merchantId}, ${displayName}, ${domains},
      ${domainAssociation?.file ?? null}, ${domainAssociation?.storedAt ?? null}, ${updatedAt}
    )
    on conflict (account_id, wallet) do nothing
    returning wallet
  `;
  return rows.length === 1;
}

/** Replaces the configuration if its stored version is still `version`. Returns false if it has changed. */
export async function updateConfiguration(
  tx: Tx,
  version: number,
  configuration: WalletConfiguration,
): Promise<boolean> {
  const { account, wallet, integration, status, merchantId, displayName } = configuration;
  const { domains, domainAssociation, updatedAt } = configuration;
  const rows = await tx`
    update wallet_configurations
       set integration = ${integration}, status = ${status}, merchant_id = ${merchantId},
           display_name = ${displayName}, domains = ${domains},
           domain_association = ${domainAssociation?.file ?? null},
           domain_association_stored_at = ${domainAssociation?.storedAt ?? null},
           updated_at = ${updatedAt}, version = version + 1
     where account_id = ${uuidOf(account)} and wallet = ${wallet} and version = ${version}
    returning wallet
  `;
  return rows.length === 1;
}

/**
 * Returns the file by which Apple verifies the service's domain. If several accounts have one, returns the file that was
 * stored last, because Apple reads it right after an operator has stored it.
 */
export async function readDomainAssociation(read: Sql): Promise<Buffer | null> {
  const [row] = await read<{ domain_association: string }>`
    select domain_association
      from wallet_configurations
     where domain_association is not null
     order by coalesce(domain_association_stored_at, updated_at) desc
     limit 1
  `;
  return row ? Buffer.from(row.domain_association, "base64") : null;
}

function toConfiguration(row: ConfigurationRow): WalletConfiguration {
  return {
    account: idFromUuid("acct", row.account_id),
    wallet: row.wallet,
    integration: row.integration,
    status: row.status,
    merchantId: row.merchant_id,
    displayName: row.display_name,
    domains: row.domains,
    domainAssociation:
      row.domain_association === null
        ? null
        : {
            file: row.domain_association,
            storedAt: row.domain_association_stored_at ?? row.updated_at,
          },
    updatedAt: row.updated_at,
    version: row.version,
  };
}
