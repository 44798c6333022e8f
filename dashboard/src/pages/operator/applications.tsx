import type { ApplicationStatus } from "@florin/contract/application.ts";
import type { QueuedApplication } from "@florin/contract/operator.ts";
import { Inbox } from "lucide-react";
import { useAdminQuery } from "../../api/admin.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { inWords, Status } from "../../components/badge.tsx";
import { Ago } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";

const views = ["waiting", "approved", "rejected"] as const;

/** The applications of merchants, oldest first. */
export function ApplicationsPage() {
  const [{ show = "waiting" }, change] = useUrlQuery();
  return (
    <Page title="Applications" lead="Merchants who apply for live mode, oldest first.">
      <Tabs
        label="Application status"
        open={show}
        onOpen={(key) => change({ show: key })}
        tabs={views.map((view) => ({
          key: view,
          label: inWords(view),
          content: <Applications view={view} />,
        }))}
      />
    </Page>
  );
}

function Applications({ view }: { view: (typeof views)[number] }) {
  const status: ApplicationStatus | undefined = view === "waiting" ? undefined : view;
  const { data, isPending, error } = useAdminQuery<{ data: QueuedApplication[] }>(
    "/applications",
    { status },
    15_000,
  );
  return (
    <Panel flush>
      <Table
        label="Applications"
        rows={data?.data ?? []}
        keyOf={({ account }) => account}
        to={({ account }) => `/operator/applications/${account}`}
        pending={isPending}
        problem={error}
        columns={[
          {
            title: "Merchant",
            cell: ({ account_name }) => <span className="wrap-anywhere">{account_name}</span>,
          },
          { title: "Status", cell: ({ status: at }) => <Status status={at} /> },
          {
            title: "Submitted",
            align: "end",
            cell: ({ submitted_at }) => submitted_at !== null && <Ago at={submitted_at} />,
          },
          {
            title: "Decided",
            align: "end",
            from: "sm",
            below: ({ decided_at }) =>
              decided_at && (
                <>
                  Decided <Ago at={decided_at} />
                </>
              ),
            cell: ({ decided_at }) => (decided_at === null ? <NoValue /> : <Ago at={decided_at} />),
          },
        ]}
        empty={
          <EmptyState icon={Inbox} title={`No ${view} applications`}>
            {view === "waiting"
              ? "Applications appear here when merchants submit them."
              : `${inWords(view)} applications appear here.`}
          </EmptyState>
        }
      />
    </Panel>
  );
}
