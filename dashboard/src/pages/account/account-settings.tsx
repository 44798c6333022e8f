import type { Account } from "@florin/contract/account.ts";
import { useMayChangeShared } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { LiveModeOnlyNotice } from "../../components/live-mode-only-notice.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Page } from "../../components/page.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Branding } from "./branding.tsx";
import { BusinessDetails } from "./business-details.tsx";
import { CustomerEmails } from "./customer-emails.tsx";

/** The account settings that customers see. Test and live mode share these settings, except the email settings. */
export function AccountSettingsPage() {
  const { data: account, error } = useObject<Account>("/account");
  const open = useMayChangeShared();
  return (
    <Page
      title="Settings"
      lead="What customers see of your business: on the payment page, in emails and on their statements."
    >
      {!open && <LiveModeOnlyNotice what="these settings" section="settings" />}
      {error && <LoadError problem={error} />}
      {account ? (
        <>
          <BusinessDetails account={account} open={open} />
          <Branding account={account} open={open} />
          <CustomerEmails account={account} />
        </>
      ) : (
        !error && <Skeleton lines={8} />
      )}
    </Page>
  );
}
