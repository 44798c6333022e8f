import type { WalletKey } from "@florin/contract/operator-wallets.ts";
import { Code } from "../../components/code.tsx";
import { Step, Steps } from "./setup-step.tsx";
import { CreateKeyButton, PendingKeyActions } from "./wallet-key-actions.tsx";
import { keysOf, purposeTitles, type WalletProps } from "./wallet-keys.ts";

/** The setup steps in Google's or Apple's console and in this service. */
export function WalletSteps(props: WalletProps) {
  const { wallet } = props;
  return (
    <Steps>
      {wallet.wallet === "google_pay" ? <GoogleSteps {...props} /> : <AppleSteps {...props} />}
    </Steps>
  );
}

function GoogleSteps({ wallet, service: { environment } }: WalletProps) {
  const { configuration } = wallet;
  const isDirect = configuration?.integration === "direct";
  const { pending, current } = keysOf(wallet, "payment_processing");
  const shown = pending ?? current;
  return (
    <>
      {isDirect && (
        <Step title="Create a key" isDone={shown !== null}>
          <p className="text-ink-soft">
            Google encrypts tokens to the public key. Replace the key once a year.
          </p>
          <CreateKeyButton wallet={wallet} purpose="payment_processing" />
        </Step>
      )}
      {isDirect && (
        <Step title="Register the public key with Google" isDone={null}>
          <p className="text-ink-soft">
            In the Google Pay &amp; Wallet Console, open Google Pay API, choose the direct
            integration, and add this public key.
          </p>
          {shown?.public_key && <Code text={shown.public_key} label="public key" />}
        </Step>
      )}
      {isDirect && (
        <Step title="Activate the key" isDone={current !== null && pending === null}>
          <p className="text-ink-soft">
            Do this after Google has accepted the public key. The previous key decrypts tokens for
            another 30 days.
          </p>
          {pending && <PendingKeyActions wallet={wallet} pending={pending} />}
        </Step>
      )}
      <Step
        title="Get the integration approved by Google"
        isDone={environment === "sandbox" || (configuration?.merchant_id ?? null) !== null}
      >
        <p className="text-ink-soft">
          {environment === "sandbox"
            ? "Google’s test environment needs no approval and no merchant ID."
            : "Send screenshots of the card form to Google for review. Then enter the merchant ID that Google shows in its console, and enable the wallet."}
        </p>
      </Step>
    </>
  );
}

function AppleSteps({ wallet, service: { service_domain: serviceDomain } }: WalletProps) {
  const { configuration } = wallet;
  const hasDomains = configuration !== null && configuration.domains.length > 0;
  return (
    <>
      <Step title="Register the domains with Apple" isDone={hasDomains}>
        <p className="text-ink-soft">
          In your Apple Developer account, open the merchant identifier and add each domain whose
          pages show the button: {serviceDomain} for the hosted payment page, and the domains of
          shops that embed the card form. Then list the domains in the settings here.
        </p>
        <p className="text-ink-soft">
          For {serviceDomain}, store Apple’s verification file in the settings. Shops serve the file
          for their own domains.
        </p>
      </Step>
      {configuration?.key_purposes.map((purpose) => (
        <CertificateStep key={purpose} wallet={wallet} purpose={purpose} />
      ))}
    </>
  );
}

const certificateTexts: Readonly<Record<WalletKey["purpose"], string>> = {
  payment_processing:
    "Apple encrypts tokens to this key. Activate the key here before you activate its certificate at Apple. The previous key decrypts tokens for another 30 days.",
  merchant_identity:
    "This service authenticates to Apple with this key each time a customer opens the Apple Pay sheet.",
};

/** The names of the certificates in Apple's console. */
const appleNames: Readonly<Record<WalletKey["purpose"], string>> = {
  payment_processing: "Apple Pay Payment Processing Certificate",
  merchant_identity: "Apple Pay Merchant Identity Certificate",
};

/** The step from a new key to the certificate that Apple issues for it. */
function CertificateStep({
  wallet,
  purpose,
}: {
  wallet: WalletProps["wallet"];
  purpose: WalletKey["purpose"];
}) {
  const { pending, current } = keysOf(wallet, purpose);
  return (
    <Step
      title={`${purposeTitles[purpose]} certificate`}
      isDone={current !== null && pending === null}
    >
      <p className="text-ink-soft">{certificateTexts[purpose]}</p>
      {pending ? (
        <>
          <ol className="grid list-decimal gap-1.5 pl-5 text-ink-soft">
            <li>Download the certificate request.</li>
            <li>
              At the merchant identifier in your Apple Developer account, create an “
              {appleNames[purpose]}” with it.
            </li>
            <li>Upload the certificate, and activate the key.</li>
          </ol>
          <PendingKeyActions wallet={wallet} pending={pending} />
        </>
      ) : (
        <CreateKeyButton wallet={wallet} purpose={purpose} />
      )}
    </Step>
  );
}
