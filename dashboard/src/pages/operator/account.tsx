import type { OperatorAccountObject } from "@florin/contract/operator.ts";
import { useParams } from "@tanstack/react-router";
import { useAdminQuery } from "../../api/admin.ts";
import { Status } from "../../components/badge.tsx";
import { countryName } from "../../components/country-names.ts";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { PageLink } from "../../components/link.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { AccountActions } from "./account-actions.tsx";
import { History } from "./account-history.tsx";
import { Team } from "./account-team.tsx";
import { TermsPanel } from "./terms-panel.tsx";

/** One merchant account: status, terms and team. */
export function AccountPage() {
  const { merchant } = useParams({ strict: false }) as { merchant: string };
  const { data, error } = useAdminQuery<OperatorAccountObject>(`/accounts/${merchant}`);
  return (
    <Page
      title={data?.account.name ?? "Account"}
      beside={data && <Status status={data.account.status} />}
      back={{ to: "/operator/accounts", label: "Accounts" }}
      // Reserves the space of the buttons, so that the sections do not shift on a phone.
      actions={
        data ? <AccountActions account={data.account} /> : !error && <span className="h-9 w-72" />
      }
    >
      {error && <LoadError problem={error} />}
      {!data && !error && <Skeleton />}
      {data && (
        <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="grid gap-6">
            <Panel title="Account">
              <AccountDetails account={data.account} />
            </Panel>
            <TermsPanel account={data.account} defaults={data.default_terms} />
            <Panel title="Team" flush>
              <Team account={data.account.id} team={data.team} />
            </Panel>
          </div>
          <Panel title="History">
            <History entries={data.history} />
          </Panel>
        </div>
      )}
    </Page>
  );
}

function AccountDetails({ account }: { account: OperatorAccountObject["account"] }) {
  const { id, country, created, application_status, approved_at, live_charges_enabled } = account;
  return (
    <KeyValues
      items={[
        ["ID", <Id key="id" id={id} />],
        ["Country", countryName(country)],
        ["Opened", <DateTime key="created" at={created} />],
        [
          "Application",
          <span key="application" className="inline-flex flex-wrap items-center gap-2">
            <Status status={application_status} />
            <PageLink to={`/operator/applications/${id}`}>View application</PageLink>
          </span>,
        ],
        approved_at === null ? null : ["Approved", <DateTime key="approved" at={approved_at} />],
        ["Live charges", live_charges_enabled ? "Enabled" : "Disabled"],
        [
          "Routing",
          <PageLink key="routing" to={`/operator/accounts/${id}/routing`}>
            Routing rules
          </PageLink>,
        ],
        [
          "Wallets",
          <PageLink key="wallets" to={`/operator/accounts/${id}/wallets`}>
            Google Pay and Apple Pay
          </PageLink>,
        ],
      ]}
    />
  );
}
