import {
  notificationTopicNames,
  notificationTopics,
} from "@florin/contract/notification-topics.ts";
import type { Notification, NotificationPreferences } from "@florin/contract/team-notification.ts";
import { Bell } from "lucide-react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useApi } from "../../api/use-api.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { CheckField } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { NotificationItem } from "../../components/notification-item.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { showToast } from "../../components/toast.tsx";

/** The newest notifications of the team, and the emails that this person receives. */
export function NotificationsPage() {
  const { data: list, error } = useObject<ListOf<Notification>>("/notifications", { limit: 100 });
  return (
    <Page title="Notifications">
      {error && <LoadError problem={error} />}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Panel title="Latest" flush>
          {!list && !error && <Skeleton lines={6} />}
          {list && list.data.length === 0 && (
            <EmptyState icon={Bell} title="No notifications">
              Disputes, failed payouts, failing webhook endpoints and decisions on your application
              appear here for 90 days.
            </EmptyState>
          )}
          {list && list.data.length > 0 && (
            <ul className="divide-y divide-line">
              {list.data.map((notification) => (
                <li key={notification.id}>
                  <NotificationItem notification={notification} />
                </li>
              ))}
            </ul>
          )}
        </Panel>
        <EmailPreferences />
      </div>
    </Page>
  );
}

function EmailPreferences() {
  const may = useMay();
  const { scope } = useApi();
  const { data: preferences, error } = useObject<NotificationPreferences>(
    "/notification_preferences",
  );
  const change = useOperation<object, NotificationPreferences>(
    (api, chosen, key) => api.post("/notification_preferences", chosen, key),
    { done: () => showToast("Email preferences saved.") },
  );
  const topics = notificationTopicNames.filter((topic) => may(notificationTopics[topic].act));
  const save = (form: FormData) =>
    void change.run(Object.fromEntries(topics.map((topic) => [topic, form.has(topic)])));
  return (
    <Panel title="Your emails">
      {error && <LoadError problem={error} />}
      {topics.length === 0 && (
        <p className="text-ink-soft">Your role receives no emails about this account.</p>
      )}
      {topics.length > 0 && preferences && (
        <Form
          submit="Save"
          weight="plain"
          busy={change.pending}
          problem={change.problem}
          onSubmit={save}
        >
          <fieldset className="grid gap-3">
            <legend className="mb-3 text-sm text-ink-soft">
              Emails about {scope.mode} mode. Your choice does not affect your team.
            </legend>
            {topics.map((topic) => (
              <CheckField
                key={topic}
                name={topic}
                label={labels[topic]}
                hint={notificationTopics[topic].meaning}
                defaultChecked={preferences[topic]}
              />
            ))}
          </fieldset>
        </Form>
      )}
    </Panel>
  );
}

const labels = {
  disputes: "Disputes",
  payouts: "Payouts",
  webhooks: "Webhooks",
  application: "Application",
} as const;
