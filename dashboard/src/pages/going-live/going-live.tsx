import type { Application } from "@florin/contract/application.ts";
import { useMay, useMayChangeShared } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Status } from "../../components/badge.tsx";
import { LiveModeOnlyNotice } from "../../components/live-mode-only-notice.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Stepper } from "../../components/stepper.tsx";
import { ApplicationNotice } from "./application-notice.tsx";
import {
  mayEdit,
  nextStep,
  partNames,
  type StepKey,
  stepAfter,
  stepsOf,
} from "./application-steps.ts";
import { BankAccountStep } from "./bank-account-step.tsx";
import { BusinessStep } from "./business-step.tsx";
import { DocumentsStep } from "./documents-step.tsx";
import { PeopleStep } from "./people-step.tsx";
import { ProductsStep } from "./products-step.tsx";
import type { StepProps } from "./step-props.ts";
import { SubmitStep } from "./submit-step.tsx";
import { WebsiteStep } from "./website-step.tsx";

/** The application for live mode, step by step, and its result. */
export function GoingLivePage() {
  const { data: application, error } = useObject<Application>("/application");
  return (
    <Page
      title="Going live"
      beside={application && <Status status={application.status} />}
      lead="To accept real payments, describe your business to the operator of this service. Each step is saved separately, so you can continue at any time."
    >
      {error && <LoadError problem={error} />}
      {!application && !error && <Skeleton />}
      {application && (
        <>
          <ApplicationNotice application={application} />
          <Steps application={application} />
        </>
      )}
    </Page>
  );
}

function Steps({ application }: { application: Application }) {
  const [{ step }, change] = useUrlQuery();
  const may = useMay();
  const open = useMayChangeShared();
  const at = (step ?? nextStep(application)) as StepKey;
  const go = (key: string) => change({ step: key });
  const editable = open && mayEdit(application) && may("application:write");
  const requests = application.requests.filter(({ section }) => section === at);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 md:grid-cols-[13rem_minmax(0,1fr)]">
      <Stepper label="Steps" steps={stepsOf(application)} at={at} onGo={go} />
      <Panel title={partNames.get(at) ?? "Submit"}>
        <div className="grid gap-5">
          {requests.map(({ message }) => (
            <Notice key={message} tone="warning">
              {message}
            </Notice>
          ))}
          {mayEdit(application) && !open && (
            <LiveModeOnlyNotice what="the application" section="going-live" />
          )}
          {mayEdit(application) && !may("application:write") && (
            <Notice>Only owners and admins of the account can edit the application.</Notice>
          )}
          <fieldset disabled={!editable} className="min-w-0">
            <legend className="sr-only">{partNames.get(at) ?? "Submit"}</legend>
            <StepForm
              // Another section of the application, or a newer version of the application, needs a new form.
              key={`${at} ${application.version}`}
              at={at}
              application={application}
              editable={editable}
              onSaved={() => go(stepAfter(at))}
              onGo={go}
            />
          </fieldset>
        </div>
      </Panel>
    </div>
  );
}

function StepForm({
  at,
  onGo,
  ...props
}: StepProps & { readonly at: StepKey; readonly onGo: (step: string) => void }) {
  switch (at) {
    case "business":
      return <BusinessStep {...props} />;
    case "people":
      return <PeopleStep {...props} />;
    case "bank_account":
      return <BankAccountStep {...props} />;
    case "products":
      return <ProductsStep {...props} />;
    case "website":
      return <WebsiteStep {...props} />;
    case "documents":
      return <DocumentsStep {...props} />;
    default:
      return <SubmitStep application={props.application} onGo={onGo} />;
  }
}
