import { FlaskConical } from "lucide-react";
import { useState } from "react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useApi } from "../../api/use-api.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { AppLink } from "../../components/link.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { FirstPayment } from "./first-payment.tsx";
import { FirstWebhook } from "./first-webhook.tsx";
import { GuideStep } from "./guide-step.tsx";
import { Playground } from "./playground.tsx";
import { TestKey } from "./test-key.tsx";

type Row = { readonly id: string };

/** Options for lists that are polled until they contain a first object, while the guide is open. */
const watched = { size: 1, everyMs: 4_000 };

/** A guide from an empty account to a first payment and its webhook. */
export function FirstPaymentGuidePage() {
  const { scope } = useApi();
  const may = useMay();
  const [key, setKey] = useState<string | null>(null);
  const keys = useObject<ListOf<Row>>(may("keys:read") ? "/api_keys" : null, { limit: 1 });
  const hasKey = key !== null || (keys.data?.data.length ?? 0) > 0;
  const paid = useList<Row>("/charges", { status: "succeeded" }, watched);
  const sessions = useList<Row>("/checkout_sessions", { status: "complete" }, watched);
  const endpoints = useList<Row>("/webhook_endpoints", {}, watched);
  if (scope.mode === "live") return <TestModeOnly account={scope.account} />;
  return (
    <Page
      title="First payment"
      lead="From an API key to a payment and its webhook, all in test mode."
    >
      <GuideStep number={1} title="Get a test key" done={hasKey}>
        <TestKey secret={key} onCreated={setKey} />
      </GuideStep>
      <GuideStep number={2} title="Make a payment" done={paid.rows.length > 0}>
        <FirstPayment secret={key} />
      </GuideStep>
      <GuideStep number={3} title="Embed the card form" done={sessions.rows.length > 0}>
        <Playground secret={key} />
      </GuideStep>
      <GuideStep number={4} title="Receive webhooks" done={endpoints.rows.length > 0}>
        <FirstWebhook secret={key} />
      </GuideStep>
    </Page>
  );
}

function TestModeOnly({ account }: { account: string }) {
  return (
    <Page title="First payment">
      <Panel>
        <EmptyState
          icon={FlaskConical}
          title="Available in test mode"
          action={<AppLink to={`/${account}/test/start`}>Switch to test mode</AppLink>}
        >
          Make your first payment in test mode, with test cards and without moving money.
        </EmptyState>
      </Panel>
    </Page>
  );
}
