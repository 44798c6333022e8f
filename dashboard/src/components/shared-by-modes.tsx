import { useApi } from "../api/here.ts";
import { buttonLook } from "./button.tsx";
import { AppLink } from "./link.tsx";
import { Notice } from "./notice.tsx";

/** Says that `what` can be changed in live mode only, with the way there. For pages in test mode. */
export function SharedByModes({ what, section }: { what: string; section: string }) {
  const { scope } = useApi();
  return (
    <Notice
      action={
        <AppLink to={`/${scope.account}/live/${section}`} className={buttonLook("plain")}>
          Switch to live mode
        </AppLink>
      }
    >
      Test mode and live mode share {what}. Now that the account is approved, it can be changed only
      in live mode.
    </Notice>
  );
}
