import type { LogoMediaType } from "@florin/contract/account-profile.ts";
import { type AccountId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

export type Logo = {
  /** The hash of the content, with the extension of the media type. */
  readonly fileName: string;
  readonly mediaType: LogoMediaType;
  readonly content: Buffer;
};

/** Stores the account's logo in place of the previous one. */
export async function writeLogo(
  tx: Tx,
  account: AccountId,
  { fileName, mediaType, content }: Logo,
): Promise<void> {
  await tx`
    insert into account_logos (account_id, file_name, media_type, content)
    values (${uuidOf(account)}, ${fileName}, ${mediaType}, ${content})
        on conflict (account_id) do update
       set file_name = excluded.file_name, media_type = excluded.media_type, content = excluded.content
  `;
}

export async function deleteLogo(tx: Tx, account: AccountId): Promise<void> {
  await tx`delete from account_logos where account_id = ${uuidOf(account)}`;
}

/** Returns the account's logo. Returns null if the account has no logo, or a logo with another file name. */
export async function readLogo(
  read: Sql,
  account: AccountId,
  fileName: string,
): Promise<Logo | null> {
  const [row] = await read<{ media_type: LogoMediaType; content: Buffer }>`
    select media_type, content
      from account_logos
     where account_id = ${uuidOf(account)} and file_name = ${fileName}
  `;
  return row ? { fileName, mediaType: row.media_type, content: row.content } : null;
}
