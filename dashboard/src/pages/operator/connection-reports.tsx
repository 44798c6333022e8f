import type {
  Connection,
  ConnectionReports as Reports,
  UploadedReport,
} from "@florin/contract/operator-connections.ts";
import { useState } from "react";
import { useAdminOperation, useAdminQuery } from "../../api/admin.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime, formatDay } from "../../components/date-time.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, fieldStyle } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Money } from "../../components/money.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";

type Report = Reports["data"][number];

/** The settlement reports of a connection, with the problems that need attention. */
export function ConnectionReports({ connection: { id } }: { connection: Connection }) {
  const reports = useAdminQuery<Reports>(`/connections/${id}/reports`, {}, 10_000);
  const [uploading, setUploading] = useState(false);
  return (
    <Panel
      title="Settlement reports"
      flush
      actions={
        <Button small onClick={() => setUploading(true)}>
          Upload report
        </Button>
      }
    >
      <Table
        label="Settlement reports"
        rows={reports.data?.data ?? []}
        keyOf={({ merchant_account, batch }) => `${merchant_account} ${batch}`}
        pending={reports.isPending}
        problem={reports.error}
        columns={[
          {
            title: "Batch",
            cell: ({ batch, merchant_account, revision }) => (
              <>
                {batch}
                {revision > 1 && ` (revision ${revision})`}
                <span className="block text-sm break-all text-ink-soft @xl:break-normal">
                  {merchant_account}
                </span>
              </>
            ),
          },
          { title: "Status", cell: (report) => <ReportStatus report={report} /> },
          { title: "Payment dates", from: "lg", cell: (report) => <Period report={report} /> },
          {
            title: "Lines",
            align: "end",
            from: "sm",
            cell: ({ line_count }) => line_count,
          },
          {
            title: "Paid out",
            align: "end",
            cell: ({ sums }) =>
              sums.map(({ currency, paid_out }) => (
                <span key={currency} className="block">
                  <Money amount={paid_out} currency={currency} named />
                </span>
              )),
          },
          {
            title: "Received",
            align: "end",
            from: "lg",
            cell: ({ received_at }) => <DateTime at={received_at} />,
          },
        ]}
        empty={
          <p className="px-4 py-4 text-ink-soft sm:px-5">
            No reports yet. Reports arrive when the acquirer pays out a batch.
          </p>
        }
      />
      {uploading && <UploadReportDialog id={id} onClose={() => setUploading(false)} />}
    </Panel>
  );
}

function Period({ report: { posted_from, posted_until } }: { report: Report }) {
  if (posted_from === null || posted_until === null) return <NoValue />;
  return (
    <>
      <DateTime at={posted_from} only="day" />
      {formatDay(posted_from) !== formatDay(posted_until) && (
        <>
          {" to "}
          <DateTime at={posted_until} only="day" />
        </>
      )}
    </>
  );
}

function ReportStatus({ report }: { report: Report }) {
  const { problem, warning, failure, applied_at, unmatched_lines, unmatched } = report;
  if (problem !== null) {
    return (
      <>
        <Badge tone="negative">Incomplete</Badge>
        <span className="block text-sm text-ink-soft">{problem}</span>
      </>
    );
  }
  if (failure !== null) {
    return (
      <>
        <Badge tone="negative">Not applied</Badge>
        <span className="block text-sm break-words text-ink-soft">
          {failure.attempts === 1 ? "1 failed attempt" : `${failure.attempts} failed attempts`}.
          Next attempt: <DateTime at={failure.retry_at} />. Last error: {failure.problem}
        </span>
      </>
    );
  }
  if (applied_at === null) return <Badge tone="info">Pending</Badge>;
  if (warning !== null) {
    return (
      <>
        <Badge tone="warning">Applied, needs correction</Badge>
        <span className="block text-sm text-ink-soft">{warning}</span>
      </>
    );
  }
  if (unmatched_lines === 0) return <Badge tone="positive">Applied</Badge>;
  return (
    <>
      <Badge tone="warning">
        {unmatched_lines === 1 ? "1 unmatched line" : `${unmatched_lines} unmatched lines`}
      </Badge>
      <ul className="text-sm text-ink-soft">
        {unmatched.map(({ line, type, reference, amount, currency }) => (
          <li key={line}>
            Line {line}: {type} <Money amount={amount} currency={currency} named />{" "}
            <span className="break-all">{reference}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const resultTexts: Readonly<Record<UploadedReport["result"], string>> = {
  stored: "Report stored.",
  corrected: "Corrected report stored.",
  repeated: "This report was already stored.",
};

const maxFileNameLength = 200;

function UploadReportDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [fault, setFault] = useState<string | null>(null);
  const [name, setName] = useState("report.csv");
  const operation = useAdminOperation<Blob, UploadedReport>(
    `/connections/${id}/reports?file_name=${encodeURIComponent(name)}`,
    {
      done({ result }) {
        showToast(resultTexts[result]);
        onClose();
      },
    },
  );
  function submit(form: FormData) {
    const file = form.get("content");
    if (!(file instanceof File) || file.size === 0) return setFault("Choose a file.");
    setFault(null);
    // Sets the media type explicitly, because some operating systems assign CSV files another media type.
    void operation.run(new Blob([file], { type: "text/csv" }));
  }
  return (
    <Dialog
      open
      title="Upload a settlement report"
      lead="Upload a report that Florin could not download, or a corrected one. Uploading a report that is already stored has no effect."
      onClose={onClose}
    >
      <Form
        submit="Upload"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Field
          name="content"
          label="Settlement details report"
          hint="CSV file of one batch, up to 32 MB, with the column Batch Number."
          fault={fault}
        >
          {(ariaProps) => (
            <input
              type="file"
              accept=".csv,text/csv"
              {...ariaProps}
              onChange={({ target }) => setName(plainName(target.files?.[0]?.name ?? ""))}
              className={`${fieldStyle} py-1.5 file:mr-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-0.5 file:text-ink`}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  );
}

/** Returns the file name with only the characters that the service accepts. */
function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9._() -]/g, "_").slice(-maxFileNameLength) || "report.csv";
}
