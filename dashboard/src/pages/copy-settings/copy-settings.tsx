import type { ComparedSetting, SettingsComparison } from "@florin/contract/settings-copy.ts";
import { ArrowRight, CopyCheck } from "lucide-react";
import { useState } from "react";
import { addressIn, useApi } from "../../api/use-api.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Form } from "../../components/form.tsx";
import { AppLink } from "../../components/link.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { showToast } from "../../components/toast.tsx";
import { SettingRow } from "./setting-row.tsx";

const path = "/settings_copy";

/** Compares the settings of test mode and live mode, and copies the selected ones to live mode. */
export function CopySettingsPage() {
  const { scope } = useApi();
  return (
    <Page
      title="Copy settings to live mode"
      lead="Compare the webhook endpoints, rules and lists of test mode with those of live mode, and choose what to copy."
    >
      {scope.mode === "live" ? <Comparison /> : <LiveModeOnly />}
    </Page>
  );
}

function LiveModeOnly() {
  const { scope } = useApi();
  return (
    <Panel>
      <EmptyState
        icon={ArrowRight}
        title="Available in live mode"
        action={
          <AppLink to={addressIn({ ...scope, mode: "live" }, "/copy-settings")}>
            Switch to live mode
          </AppLink>
        }
      >
        Copied settings apply to real payments. Switch to live mode to compare and copy them.
      </EmptyState>
    </Panel>
  );
}

function Comparison() {
  const { data, error } = useObject<SettingsComparison>(path);
  if (!data) return error ? <LoadError problem={error} /> : <Skeleton lines={6} />;
  if (data.settings.length === 0) {
    return (
      <Panel>
        <EmptyState icon={CopyCheck} title="Nothing to copy">
          Test mode has no webhook endpoints, rules or lists.
        </EmptyState>
      </Panel>
    );
  }
  return <ComparedSettings settings={data.settings} />;
}

const canCopy = ({ change }: ComparedSetting) => change === "new" || change === "different";

function ComparedSettings({ settings }: { settings: readonly ComparedSetting[] }) {
  const open = settings.filter(canCopy);
  const closed = settings.filter((setting) => !canCopy(setting));
  const [nothing, setNothing] = useState(false);
  const copy = useOperation<string[], SettingsComparison>(
    (api, keys, key) => api.post(path, { keys }, key),
    { done: () => showToast("Settings copied to live mode.") },
  );
  const send = (form: FormData) => {
    const keys = form.getAll("keys").map(String);
    setNothing(keys.length === 0);
    if (keys.length > 0) void copy.run(keys);
  };
  return (
    <>
      {open.length === 0 ? (
        <Notice tone="positive">Live mode has all test mode settings that can be copied.</Notice>
      ) : (
        <Panel title="Changes to live mode">
          <Form
            submit="Copy to live mode"
            busy={copy.pending}
            problem={copy.problem}
            onSubmit={send}
          >
            <ul className="grid gap-4">
              {open.map((setting) => (
                <SettingRow key={setting.key} setting={setting} />
              ))}
            </ul>
            {nothing && (
              <p role="alert" className="text-sm text-negative">
                Select at least one setting.
              </p>
            )}
            <p className="text-sm text-ink-soft">
              A new webhook endpoint in live mode gets its own signing secret. To see the secret,
              roll it on the endpoint’s page.
            </p>
          </Form>
        </Panel>
      )}
      {closed.length > 0 && (
        <Panel title="No changes">
          <ul className="grid gap-4">
            {closed.map((setting) => (
              <SettingRow key={setting.key} setting={setting} />
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}
