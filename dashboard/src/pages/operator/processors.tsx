import type { ProcessorInConsole } from "@florin/contract/operator.ts";
import { useAdminQuery } from "../../api/admin.ts";
import { Badge } from "../../components/badge.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

/** The page with the acquirers of each mode. */
export function ProcessorsPage() {
  const { data, error } = useAdminQuery<{ data: ProcessorInConsole[] }>("/processors");
  return (
    <Page title="Processors" lead="The acquirers of each mode.">
      {error && <LoadError problem={error} />}
      {!data && !error && <Skeleton />}
      {data?.data.map(({ mode, name, configured, explanation, settings }) => (
        <Panel key={mode} title={mode === "live" ? "Live mode" : "Test mode"}>
          <div className="grid gap-4">
            <p className="flex flex-wrap items-center gap-2 font-medium">
              {name}
              <Badge tone={configured ? "positive" : "warning"}>
                {configured ? "Configured" : "Not configured"}
              </Badge>
            </p>
            <p className="max-w-2xl text-ink-soft">{explanation}</p>
            <KeyValues items={settings.map((setting) => [setting.name, setting.value])} />
          </div>
        </Panel>
      ))}
    </Page>
  );
}
