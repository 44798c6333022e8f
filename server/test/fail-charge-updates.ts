import type { Database } from "../src/platform/database/database.ts";

/**
 * Makes the database reject every change of a charge's status, as if the process had died after it recorded the intent.
 * Returns a function that makes the database accept changes again.
 */
export async function failChargeUpdates(database: Database): Promise<() => Promise<void>> {
  await database.transaction(async (tx) => {
    await tx`
      create function reject_outcome() returns trigger language plpgsql as $$
      begin
        raise exception 'the outcome is rejected';
      end $$`;
    await tx`
      create trigger reject_outcome before update of status on charges
        for each row execute function reject_outcome()`;
  });
  return async () => {
    await database.transaction((tx) => tx`drop function reject_outcome cascade`);
  };
}
