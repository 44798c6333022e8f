import type { Connection, ConnectionHealth } from "@florin/contract/operator-connections.ts";
import { walletNames } from "@florin/contract/wallet-names.ts";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAdminQuery } from "../../api/admin.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { ButtonLink, PageLink } from "../../components/link.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { acquirerTexts } from "./acquirer-texts.ts";
import { ConnectionActions } from "./connection-actions.tsx";
import { ConnectionAssignments } from "./connection-assignments.tsx";
import { ConnectionChecklist } from "./connection-checklist.tsx";
import { EditConnectionDialog } from "./connection-edit-dialog.tsx";
import { ConnectionReports } from "./connection-reports.tsx";
import { ConnectionResponses } from "./connection-responses.tsx";
import { Environment } from "./connections.tsx";

/** One connection: its checklist, assignments and last responses. */
export function ConnectionPage() {
  const { connection: id } = useParams({ strict: false }) as { connection: string };
  // Polls, because the acquirer's first notification changes the checklist.
  const { data, error } = useAdminQuery<Connection>(`/connections/${id}`, {}, 10_000);
  const [editing, setEditing] = useState(false);
  const isBeingSetUp = data?.state === "draft" || data?.state === "tested";
  const setup = data && (
    <Panel title="Setup">
      <ConnectionChecklist connection={data} />
    </Panel>
  );
  return (
    <Page
      title={data?.name ?? "Connection"}
      beside={data && <Status status={data.state} />}
      back={{ to: "/operator/connections", label: "Connections" }}
      actions={data && <ConnectionActions connection={data} />}
    >
      {error && <LoadError problem={error} />}
      {!data && !error && <Skeleton />}
      {data?.suspended_reason && (
        <Notice tone="warning">
          <p>New charges are not sent over this connection.</p>
          <p>{data.suspended_reason}</p>
        </Notice>
      )}
      {data && (
        <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="grid gap-6">
            {isBeingSetUp && setup}
            <ConnectionAssignments connection={data} />
            <ConnectionReports connection={data} />
            {!isBeingSetUp && data.state !== "retired" && setup}
          </div>
          <div className="grid gap-6">
            <Panel
              title="Details"
              actions={
                data.state !== "retired" && (
                  <Button small onClick={() => setEditing(true)}>
                    Change connection
                  </Button>
                )
              }
            >
              <ConnectionDetails connection={data} />
            </Panel>
            <ConnectionNotificationCounts connection={data} />
            <ConnectionResponses connection={data} />
          </div>
        </div>
      )}
      {data && editing && (
        <EditConnectionDialog connection={data} onClose={() => setEditing(false)} />
      )}
    </Page>
  );
}

/** The numbers of the acquirer's notifications that have not been applied. */
function ConnectionNotificationCounts({ connection: { id } }: { connection: Connection }) {
  const { data } = useAdminQuery<ConnectionHealth>(`/connections/${id}/health`, {}, 10_000);
  const list = `/operator/connections/${id}/notifications`;
  const counts = data?.notifications;
  const waiting = counts && counts.review + counts.unmatched;
  return (
    <Panel
      title="Notifications"
      actions={
        <ButtonLink small to={list}>
          Show notifications
        </ButtonLink>
      }
    >
      {!counts && <Skeleton />}
      {counts && (
        <div className="grid gap-4">
          {waiting !== 0 && (
            <Notice tone="warning">
              {waiting === 1
                ? "1 notification was not applied and needs a decision."
                : `${waiting} notifications were not applied and need a decision.`}
            </Notice>
          )}
          <KeyValues
            items={[
              [
                "In review",
                <CountLink key="review" to={`${list}?state=review`} count={counts.review} />,
              ],
              [
                "Unmatched",
                <CountLink
                  key="unmatched"
                  to={`${list}?state=unmatched`}
                  count={counts.unmatched}
                />,
              ],
              [
                "Pending",
                <CountLink key="pending" to={`${list}?state=pending`} count={counts.pending} />,
              ],
            ]}
          />
        </div>
      )}
    </Panel>
  );
}

function CountLink({ to, count }: { to: string; count: number }) {
  return count === 0 ? "None" : <PageLink to={to}>{count}</PageLink>;
}

function ConnectionDetails({ connection }: { connection: Connection }) {
  const { id, settings, requests_per_second, secrets, test, notification } = connection;
  const texts = acquirerTexts[connection.processor];
  return (
    <KeyValues
      items={[
        ["ID", <Id key="id" id={id} brief />],
        ["Acquirer", texts.title],
        ["Environment", <Environment key="environment" connection={connection} />],
        ["Merchant account", settings.merchant_account],
        settings.live_prefix === null
          ? null
          : [texts.prefix?.label ?? "URL prefix", settings.live_prefix],
        texts.publicKey === null
          ? null
          : [texts.publicKey.label, connection.public_key ?? "Not set"],
        [
          "Wallet tokens decrypted by the acquirer",
          connection.gateway_wallets.map((wallet) => walletNames[wallet]).join(", ") || "None",
        ],
        [
          "Rate limit",
          requests_per_second === null ? "None" : `${requests_per_second} requests per second`,
        ],
        ["Secrets stored", time(secrets.configured_at)],
        secrets.previous_until === null
          ? null
          : ["Previous secrets accepted until", time(secrets.previous_until)],
        ["Test passed", time(test.passed_at)],
        ["First notification", time(notification?.seen_at ?? null)],
        [
          "Certification",
          connection.certification === null ? (
            "Not certified: built from documentation, not yet run against the acquirer"
          ) : (
            <span key="certified">
              On <DateTime at={connection.certification.certified_at} />, with{" "}
              {connection.certification.checks} checks
            </span>
          ),
        ],
        ["Created", time(connection.created)],
      ]}
    />
  );
}

function time(at: number | null) {
  return at === null ? null : <DateTime at={at} />;
}
