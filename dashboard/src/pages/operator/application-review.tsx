import type { ReviewedApplication } from "@florin/contract/operator.ts";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAdminOperation, useAdminQuery } from "../../api/admin.ts";
import { Status } from "../../components/badge.tsx";
import { TextArea } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { AppLink } from "../../components/link.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { History } from "./account-history.tsx";
import { ApplicationDecisions } from "./application-decisions.tsx";
import { Checklist } from "./checklist.tsx";
import { MerchantInformation } from "./merchant-information.tsx";

/** One application for live mode. Shows the merchant's information on the left and the review on the right. */
export function ApplicationReviewPage() {
  const { merchant } = useParams({ strict: false }) as { merchant: string };
  const { data, error } = useAdminQuery<ReviewedApplication>(`/accounts/${merchant}/application`);
  return (
    <Page
      title={data?.account.name ?? "Application"}
      beside={data && <Status status={data.application.status} />}
      back={{ to: "/operator", label: "Applications" }}
      lead={<AppLink to={`/operator/accounts/${merchant}`}>View account, terms and team</AppLink>}
      actions={data && <ApplicationDecisions review={data} />}
    >
      {error && <LoadError problem={error} />}
      {!data && !error && <Skeleton />}
      {data && (
        <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="grid gap-6">
            <MerchantInformation review={data} />
          </div>
          <div className="grid gap-6">
            <Panel title="Checklist">
              <Checklist review={data} />
            </Panel>
            <Panel title="Notes" lead="Visible to operators only">
              <Notes account={merchant} />
            </Panel>
            <Panel title="History">
              <History entries={data.history} />
            </Panel>
          </div>
        </div>
      )}
    </Page>
  );
}

/** A form that adds a note to the history of an application. */
function Notes({ account }: { account: string }) {
  const [written, setWritten] = useState(0);
  const operation = useAdminOperation<{ text: string | undefined }>(
    `/accounts/${account}/application/notes`,
    {
      done: () => setWritten(written + 1),
    },
  );
  return (
    <Form
      key={written}
      submit="Add note"
      weight="plain"
      busy={operation.pending}
      problem={operation.problem}
      onSubmit={(form) => void operation.run({ text: textOf(form, "text") })}
    >
      <TextArea name="text" label="Note" rows={3} />
    </Form>
  );
}
