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
import { keyPath, keysOf, purposeTitles, walletTitles } from "./wallet-keys.ts";

type Of = { readonly wallet: OperatorWallet };

/** Creates a pending key. There is at most one for each purpose. */
export function CreateKeyButton({ wallet, purpose }: Of & { purpose: WalletKey["purpose"] }) {
  const [open, setOpen] = useState(false);
  const { pending, current } = keysOf(wallet, purpose);
  const name = purposeTitles[purpose].toLowerCase();
  return (
    <span>
      <Button
        small
        unavailable={pending ? "Put the pending key into use first, or remove it." : null}
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
            lead: `The key is not used until you put it into use. ${walletTitles[wallet.wallet]} must know its public part before.`,
            done: "Key created.",
            weight: "primary",
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}

/** The operations on a key that is not in use yet. */
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
          Put into use
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
            button: "Put into use",
            title: "Put the key into use",
            lead:
              pending.purpose === "payment_processing"
                ? "New payments use this key. The key that is in use now decrypts tokens for another 30 days."
                : "The service authenticates to Apple with this key from now on. The key that is in use now is deleted.",
            done: "Key in use.",
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
