import type { AcquirerNotification } from "@florin/contract/operator-connections.ts";
import { useState } from "react";
import { useAdminOperation } from "../../api/admin.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Problem } from "../../components/problem.tsx";
import { showToast } from "../../components/toast.tsx";
import { ReasonDialog, serviceLogHint } from "./reason-dialog.tsx";

const dismissal = {
  button: "Dismiss",
  title: "Dismiss notification",
  lead: "The event will not be applied. Compare the payment in the acquirer’s console with Florin first.",
  done: "Notification dismissed.",
  weight: "danger",
  hint: serviceLogHint,
} as const;

/** One notification with its fields, and the decisions that are possible. */
export function NotificationDialog({
  notification,
  path,
  onClose,
}: {
  notification: AcquirerNotification;
  /** The path of the connection's notifications. */
  path: string;
  onClose: () => void;
}) {
  const { id, event_code, state, problem, charge, account, version } = notification;
  const [dismissing, setDismissing] = useState(false);
  const retry = useAdminOperation<object>(`${path}/${id}/apply`, {
    done() {
      showToast("The notification will be applied again.");
      onClose();
    },
  });
  if (dismissing) {
    const params = { version };
    const url = `${path}/${id}/dismiss`;
    return <ReasonDialog path={url} words={dismissal} params={params} onClose={onClose} />;
  }
  return (
    <Dialog open wide title={event_code} onClose={onClose}>
      <div className="grid gap-5">
        <KeyValues
          items={[
            ["State", <NotificationStatus key="state" notification={notification} />],
            problem === null ? null : ["Problem", problem],
            ["Received", <DateTime key="received" at={notification.created} />],
            charge === null ? null : ["Charge", <Id key="charge" id={charge} />],
            account === null
              ? null
              : ["Account", <Id key="account" id={account} to={`/operator/accounts/${account}`} />],
            ["Notification", <Id key="id" id={id} />],
          ]}
        />
        <section aria-label="Fields sent by the acquirer" className="border-t border-line pt-4">
          <h3 className="mb-3 text-sm font-medium">Fields sent by the acquirer</h3>
          <KeyValues items={Object.entries(notification.fields)} />
        </section>
        {retry.problem && <Problem problem={retry.problem} />}
        {(state === "review" || state === "unmatched") && (
          <div className="flex flex-wrap justify-end gap-2">
            <Button weight="danger" onClick={() => setDismissing(true)}>
              Dismiss
            </Button>
            <Button
              weight="primary"
              busy={retry.pending}
              onClick={() => void retry.run({ version })}
            >
              Retry
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** The state of a notification. */
export function NotificationStatus({ notification }: { notification: AcquirerNotification }) {
  return notification.state === "review" ? (
    <Status status="in_review" tone="warning" />
  ) : (
    <Status status={notification.state} />
  );
}
