import type {
  OperatorWallet,
  WalletCertificateRequest,
  WalletKey,
} from "@florin/contract/operator-wallets.ts";
import { useState } from "react";
import { adminPath } from "../../api/admin.ts";
import { type ApiProblem, asProblem } from "../../api/problem.ts";
import { send } from "../../api/send.ts";
import { saveFile } from "../../api/use-download.ts";
import { Button } from "../../components/button.tsx";
import { Problem } from "../../components/problem.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";
import { WalletCertificateDialog } from "./wallet-certificate-dialog.tsx";
import { keyPath, keysOf, purposeTitles } from "./wallet-keys.ts";

type Of = { readonly wallet: OperatorWallet };

const createLeads: Readonly<Record<OperatorWallet["wallet"], string>> = {
  google_pay: "Register its public key with Google before you activate it.",
  apple_pay: "Upload Apple’s certificate before you activate it.",
};

/** Creates a pending key. There is at most one for each purpose. */
export function CreateKeyButton({ wallet, purpose }: Of & { purpose: WalletKey["purpose"] }) {
  const [open, setOpen] = useState(false);
  const { pending, current } = keysOf(wallet, purpose);
  const name = purposeTitles[purpose].toLowerCase();
  return (
    <span>
      <Button
        small
        unavailable={pending ? "Activate or remove the pending key first." : null}
        onClick={() => setOpen(true)}
      >
        {current ? "Create new key" : "Create key"}
      </Button>
      {open && (
        <ReasonDialog
          path={`/accounts/${wallet.account}/wallets/${wallet.wallet}/keys`}
          params={{ purpose }}
          words={{
            button: "Create key",
            title: `Create a ${name} key`,
            lead: createLeads[wallet.wallet],
            done: "Key created.",
            weight: "primary",
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}

/** The operations on a pending key. */
export function PendingKeyActions({ wallet, pending }: Of & { pending: WalletKey }) {
  const [open, setOpen] = useState<"upload" | "promote" | null>(null);
  const close = () => setOpen(null);
  const isApple = wallet.wallet === "apple_pay";
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {isApple && <DownloadRequestButton wallet={wallet} pending={pending} />}
        {isApple && (
          <Button small onClick={() => setOpen("upload")}>
            {pending.certificate ? "Replace certificate" : "Upload certificate"}
          </Button>
        )}
        <Button
          small
          weight="primary"
          unavailable={
            isApple && !pending.certificate ? "Upload the certificate from Apple first." : null
          }
          onClick={() => setOpen("promote")}
        >
          Activate
        </Button>
      </div>
      {open === "upload" && (
        <WalletCertificateDialog wallet={wallet} pending={pending} onClose={close} />
      )}
      {open === "promote" && (
        <ReasonDialog
          path={`${keyPath(wallet, pending)}/promote`}
          params={{ version: pending.version }}
          words={{
            button: "Activate",
            title: "Activate the key",
            lead:
              pending.purpose === "payment_processing"
                ? "New payments use this key. The key that is active now decrypts tokens for another 30 days."
                : "The service authenticates to Apple with this key from now on. The key that is active now is deleted.",
            done: "Key activated.",
            weight: "primary",
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

function DownloadRequestButton({ wallet, pending }: Of & { pending: WalletKey }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const download = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const path = adminPath(`${keyPath(wallet, pending)}/certificate_request`);
      const { certificate_request } = await send<WalletCertificateRequest>({ method: "GET", path });
      const file = new Blob([certificate_request], { type: "application/pkcs10" });
      saveFile(file, `${pending.purpose}.certSigningRequest`);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button small busy={busy} onClick={() => void download()}>
        Download certificate request
      </Button>
      {problem && <Problem problem={problem} />}
    </>
  );
}
