import type { Account } from "@florin/contract/account.ts";
import type { UpdateAccountProfile } from "@florin/contract/account-profile.ts";
import { queries } from "../../api/query-client.ts";
import { readingMe } from "../../api/signed-in-person.ts";
import { useOperation } from "../../api/use-operation.ts";
import { showToast } from "../../components/toast.tsx";

/**
 * Saves some fields of the profile. Reads the signed-in person again afterwards, because the person's memberships
 * contain the account's name and time zone.
 */
export function useProfileChange(saved: string) {
  return useOperation<UpdateAccountProfile, Account>(
    (api, change, key) => api.post("/account/profile", change, key),
    {
      done() {
        void queries.invalidateQueries(readingMe);
        showToast(saved);
      },
    },
  );
}
