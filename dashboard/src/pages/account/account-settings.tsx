import type { Account } from "@florin/contract/account.ts";
import { useMay, useMayChangeShared } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { LiveModeOnlyNotice } from "../../components/live-mode-only-notice.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Branding } from "./branding.tsx";
import { BusinessDetails } from "./business-details.tsx";
import { CustomerEmails } from "./customer-emails.tsx";

/** The account settings that customers see. Test and live mode share these settings, except the email settings. */
export function AccountSettingsPage() {
  const { data: account, error } = useObject<Account>("/account");
  const mayChange = useMay()("account:write");
  const open = useMayChangeShared();
  const unavailable = unavailableReason(mayChange, open);
  return (
    <Page
      title="Settings"
      lead="What customers see of your business: on the payment page, in emails and on their statements."
    >
      {!mayChange && (
        <Notice>
          Only owners, admins and developers of the account can change these settings.
        </Notice>
      )}
      {mayChange && !open && <LiveModeOnlyNotice what="these settings" section="settings" />}
      {error && <LoadError problem={error} />}
      {account ? (
        <>
          <BusinessDetails account={account} unavailable={unavailable} />
          <Branding account={account} unavailable={unavailable} />
          <CustomerEmails account={account} />
        </>
      ) : (
        !error && <Skeleton lines={8} />
      )}
    </Page>
  );
}

/** Returns the reason why the person cannot change the settings in this mode, or null if they can. */
function unavailableReason(mayChange: boolean, open: boolean): string | null {
  if (!mayChange) return "Only owners, admins and developers can change this.";
  return open ? null : "Switch to live mode to change this.";
}
