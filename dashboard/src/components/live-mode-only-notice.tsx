import { useApi } from "../api/use-api.ts";
import { buttonStyle } from "./button.tsx";
import { AppLink } from "./link.tsx";
import { Notice } from "./notice.tsx";

/**
 * A notice, shown in test mode, that `what` can be changed only in live mode. Links to the current page in live mode.
 */
export function LiveModeOnlyNotice({ what, section }: { what: string; section: string }) {
  const { scope } = useApi();
  return (
    <Notice
      action={
        <AppLink to={`/${scope.account}/live/${section}`} className={buttonStyle("plain")}>
          Switch to live mode
        </AppLink>
      }
    >
      Test mode and live mode share {what}. Because the account is approved, you can make changes
      only in live mode.
    </Notice>
  );
}
