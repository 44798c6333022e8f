import type { Connection } from "@florin/contract/operator-connections.ts";
import { useState } from "react";
import { useAdminOperation } from "../../api/admin.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Problem } from "../../components/problem.tsx";
import { acquirerTexts, inSentence } from "./acquirer-texts.ts";
import { StoreSecretsDialog } from "./connection-secrets-dialog.tsx";
import { Step, Steps } from "./setup-step.tsx";
import { setupSteps } from "./setup-steps.ts";

/** The steps from a new connection to its activation. */
export function ConnectionChecklist({ connection }: { connection: Connection }) {
  const { id, version, webhook_url, test, secrets } = connection;
  const [storing, setStoring] = useState(false);
  const { hasSecrets, isTested, hasNotification } = setupSteps(connection);
  // The service cannot check the acquirer's settings. After the activation, the step counts as done, because the
  // operator must check the settings before the activation.
  const isActivated = connection.state !== "draft" && connection.state !== "tested";
  const texts = acquirerTexts[connection.processor];
  const keys = `the ${inSentence(texts.apiKeyLabel)} and the ${inSentence(texts.hmacKeyLabel)}`;
  const testing = useAdminOperation<{ version: number }>(`/connections/${id}/test`);
  return (
    <Steps>
      <Step title={`Enable these at ${texts.title}`} isDone={isActivated || null}>
        <ul className="grid list-disc gap-1.5 pl-5 text-ink-soft">
          {texts.settings.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </Step>
      <Step title={`Enter the webhook URL at ${texts.title}`} isDone={hasNotification || null}>
        <Code text={webhook_url} label="webhook URL" />
      </Step>
      <Step title="Store the secrets" isDone={hasSecrets}>
        <p className="text-ink-soft">Enter {keys} of the webhook. Florin never shows them again.</p>
        <span>
          <Button small onClick={() => setStoring(true)}>
            {hasSecrets ? "Replace secrets" : "Store secrets"}
          </Button>
        </span>
      </Step>
      <Step title="Test the connection" isDone={isTested}>
        <p className="text-ink-soft">Sends a request to the acquirer that moves no money.</p>
        {test.problem && <p className="text-negative">{test.problem}</p>}
        <span>
          <Button
            small
            busy={testing.pending}
            unavailable={hasSecrets ? null : `Store ${keys} first.`}
            onClick={() => void testing.run({ version })}
          >
            Test connection
          </Button>
        </span>
        {testing.problem && <Problem problem={testing.problem} />}
      </Step>
      <Step title="Receive a notification" isDone={hasNotification}>
        <p className="text-ink-soft">{texts.testNotification}</p>
      </Step>
      {storing && (
        <StoreSecretsDialog
          connection={connection}
          isFirst={secrets.version === 0}
          onClose={() => setStoring(false)}
        />
      )}
    </Steps>
  );
}
