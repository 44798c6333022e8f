import type { Health, InquiriesRestarted } from "@florin/contract/operator.ts";
import { useState } from "react";
import { useAdminOperation, useAdminQuery } from "../../api/admin.ts";
import { formatMoney } from "../../components/amount.ts";
import { Badge, inWords, Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Ago } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { PageLink } from "../../components/link.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { Table } from "../../components/table.tsx";
import { CardDataScan } from "./card-data-scan.tsx";
import { CheckerRuns } from "./checker-runs.tsx";
import { CompactEmptyState } from "./compact-empty-state.tsx";
import { InactivePeople } from "./inactive-people.tsx";
import { LastRestorePanel } from "./last-restore.tsx";
import { ReasonDialog, type ReasonWords } from "./reason-dialog.tsx";

/** The health of the service: queues, unknown outcomes, failures and consistency checks. */
export function HealthPage() {
  const { data, error } = useAdminQuery<Health>("/health", {}, 10_000);
  return (
    <Page title="Health" lead="Updates every 10 seconds.">
      {error && <LoadError problem={error} />}
      {data && <HealthDetails health={data} />}
      <CheckerRuns />
    </Page>
  );
}

function HealthDetails({ health }: { health: Health }) {
  const { queues, unknown_outcomes, failing_endpoints, open_differences, processes, database } =
    health;
  const { last_restore, inactive_people, card_search } = health;
  return (
    <>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Panel title="Queues" flush>
          <Queues queues={queues} />
        </Panel>
        <Panel title="Servers">
          <KeyValues
            items={[
              ...processes.map(
                ({ number, seen_at }) =>
                  [
                    `Process ${number}`,
                    <span key={number}>
                      Last seen <Ago at={seen_at} />
                    </span>,
                  ] as const,
              ),
              ["Database size", `${(database.size_bytes / 1024 / 1024).toFixed(0)} MB`],
              ["Database connections", String(database.connections)],
            ]}
          />
        </Panel>
      </div>
      <UnknownOutcomesPanel outcomes={unknown_outcomes} />
      <Panel title="Reconciliation differences" flush>
        <OpenDifferences differences={open_differences} />
      </Panel>
      {last_restore && <LastRestorePanel restore={last_restore} />}
      <Panel title="Failing webhook endpoints" flush>
        <FailingEndpoints endpoints={failing_endpoints} />
      </Panel>
      <CardDataScan search={card_search} />
      <InactivePeople people={inactive_people} />
    </>
  );
}

function Queues({ queues }: Pick<Health, "queues">) {
  return (
    <Table
      label="Queues"
      rows={queues}
      keyOf={({ name }) => name}
      columns={[
        { title: "Queue", cell: ({ name }) => inWords(name) },
        { title: "Waiting", align: "end", cell: ({ waiting }) => waiting },
        {
          title: "Overdue",
          align: "end",
          cell: ({ overdue }) =>
            overdue === 0 ? 0 : <Badge tone="warning">{String(overdue)}</Badge>,
        },
        {
          title: "Oldest",
          align: "end",
          cell: ({ oldest }) => (oldest === null ? <NoValue /> : <Ago at={oldest} />),
        },
      ]}
      empty={null}
    />
  );
}

function UnknownOutcomesPanel({ outcomes }: { outcomes: Health["unknown_outcomes"] }) {
  const operation = useAdminOperation<object, InquiriesRestarted>("/unknown_outcomes/restart");
  const restartAll = async () => {
    let result = await operation.run({});
    while (result?.has_more && result.restarted > 0) result = await operation.run({});
  };
  const isGivenUp = outcomes.some(({ reason }) => reason === "manual_review");
  return (
    <Panel
      title="Unknown outcomes"
      actions={
        isGivenUp && (
          <Button small busy={operation.pending} onClick={() => void restartAll()}>
            Restart inquiries
          </Button>
        )
      }
      flush
    >
      {operation.problem && <Problem problem={operation.problem} />}
      {isGivenUp && (
        <p className="border-b border-line px-4 py-3 text-ink-soft sm:px-5">
          Status inquiries stop after three days without a response, and the payment needs manual
          review. An inquiry never charges or refunds a card again. At an acquirer without status
          inquiries, such as Adyen, a restart cancels the payment. The customer can then pay again.
        </p>
      )}
      <UnknownOutcomes outcomes={outcomes} />
    </Panel>
  );
}

const markFailedWords: ReasonWords = {
  button: "Mark as failed",
  title: "Mark the payment as failed",
  lead: "Search for the payment’s ID at the acquirer first. Continue only if the acquirer has no such payment. The customer can then pay again. If the acquirer approves the payment later, Florin reverses it.",
  done: "Payment marked as failed.",
  weight: "danger",
};

function UnknownOutcomes({ outcomes }: { outcomes: Health["unknown_outcomes"] }) {
  const [toFail, setToFail] = useState<Health["unknown_outcomes"][number] | null>(null);
  return (
    <>
      <UnknownOutcomesTable outcomes={outcomes} onFail={setToFail} />
      {toFail && (
        <ReasonDialog
          path={`/accounts/${toFail.account}/charges/${toFail.id}/fail`}
          words={markFailedWords}
          onClose={() => setToFail(null)}
        />
      )}
    </>
  );
}

function UnknownOutcomesTable({
  outcomes,
  onFail,
}: {
  outcomes: Health["unknown_outcomes"];
  onFail: (outcome: Health["unknown_outcomes"][number]) => void;
}) {
  return (
    <Table
      label="Unknown outcomes"
      rows={outcomes}
      keyOf={({ id }) => id}
      columns={[
        { title: "Payment or operation", cell: ({ id }) => <Id id={id} brief /> },
        {
          title: "Reason",
          from: "sm",
          below: "cell",
          cell: ({ reason, reversal_pending }) => (
            <>
              {inWords(reason)}
              {reversal_pending && (
                <span className="ml-2">
                  <Status status="being_canceled" />
                </span>
              )}
            </>
          ),
        },
        {
          title: "Amount",
          align: "end",
          cell: ({ amount, currency }) => formatMoney(amount, currency),
        },
        { title: "Mode", from: "sm", cell: ({ livemode }) => (livemode ? "Live" : "Test") },
        {
          title: "Merchant",
          from: "md",
          cell: ({ account }) => <Id id={account} brief to={`/operator/accounts/${account}`} />,
        },
        { title: "Started", from: "sm", align: "end", cell: ({ created }) => <Ago at={created} /> },
        {
          title: "",
          align: "end",
          cell: (outcome) =>
            outcome.reason === "manual_review" &&
            outcome.id.startsWith("ch_") && (
              <Button
                small
                aria-label={`Mark ${outcome.id} as failed`}
                onClick={() => onFail(outcome)}
              >
                Mark as failed
              </Button>
            ),
        },
      ]}
      empty={<CompactEmptyState>No unknown outcomes</CompactEmptyState>}
    />
  );
}

function OpenDifferences({ differences }: { differences: Health["open_differences"] }) {
  return (
    <Table
      label="Reconciliation differences"
      rows={differences}
      keyOf={({ account, livemode }) => `${account} ${livemode}`}
      columns={[
        {
          title: "Merchant",
          cell: ({ account }) => <Id id={account} to={`/operator/accounts/${account}`} />,
        },
        { title: "Mode", cell: ({ livemode }) => (livemode ? "Live" : "Test") },
        { title: "Open", align: "end", cell: ({ count }) => count },
      ]}
      empty={<CompactEmptyState>No open differences</CompactEmptyState>}
    />
  );
}

function FailingEndpoints({ endpoints }: { endpoints: Health["failing_endpoints"] }) {
  return (
    <Table
      label="Failing webhook endpoints"
      rows={endpoints}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Endpoint",
          cell: ({ url, account }) => (
            <span>
              <span className="break-all">{url}</span>
              <span className="block text-sm">
                <PageLink to={`/operator/accounts/${account}`}>View account</PageLink>
              </span>
            </span>
          ),
        },
        { title: "Mode", from: "sm", cell: ({ livemode }) => (livemode ? "Live" : "Test") },
        {
          title: "Consecutive failures",
          from: "sm",
          below: "title and cell",
          align: "end",
          cell: ({ failures }) => failures,
        },
        {
          title: "Since",
          align: "end",
          cell: ({ failing_since }) => failing_since !== null && <Ago at={failing_since} />,
        },
      ]}
      empty={<CompactEmptyState>No failing endpoints</CompactEmptyState>}
    />
  );
}
