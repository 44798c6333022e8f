import type { OperatorWallet, WalletKey } from "@florin/contract/operator-wallets.ts";
import { useState } from "react";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";
import { certificateState, keyPath, purposeTitles } from "./wallet-keys.ts";

const statusLabels: Readonly<Record<WalletKey["status"], readonly [string, Tone]>> = {
  pending: ["Pending", "info"],
  current: ["Active", "positive"],
  previous: ["Replaced", "neutral"],
};

/** The keys of a wallet, newest first. */
export function WalletKeyList({
  wallet,
  nowSeconds,
}: {
  wallet: OperatorWallet;
  nowSeconds: number;
}) {
  const [removing, setRemoving] = useState<WalletKey | null>(null);
  return (
    <div className="grid gap-2">
      <h3 className="font-medium">Keys</h3>
      <ul className="divide-y divide-line rounded-md border border-line">
        {wallet.keys.map((key) => {
          const [label, tone] = statusLabels[key.status];
          return (
            <li key={key.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <div className="grid min-w-0 flex-1 basis-52 gap-0.5">
                <span className="flex flex-wrap items-center gap-2">
                  {purposeTitles[key.purpose]} <Badge tone={tone}>{label}</Badge>
                </span>
                <Id id={key.id} brief />
                <KeyTimes of={key} nowSeconds={nowSeconds} />
              </div>
              <Button
                small
                weight="danger"
                aria-label={`Remove ${purposeTitles[key.purpose].toLowerCase()} key ${key.id}`}
                onClick={() => setRemoving(key)}
              >
                Remove
              </Button>
            </li>
          );
        })}
      </ul>
      {removing && (
        <ReasonDialog
          path={`${keyPath(wallet, removing)}/remove`}
          params={{ version: removing.version }}
          words={{
            button: "Remove key",
            title: "Remove the key permanently",
            lead: leads[removing.status],
            done: "Key removed.",
            weight: "danger",
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </div>
  );
}

const leads: Readonly<Record<WalletKey["status"], string>> = {
  pending:
    "The private key is deleted and cannot be restored. Its certificate can no longer be used.",
  current:
    "The private key is deleted and cannot be restored. The card form stops offering the wallet.",
  previous:
    "The private key is deleted and cannot be restored. Payments whose tokens were encrypted to it fail.",
};

function KeyTimes({ of: key, nowSeconds }: { of: WalletKey; nowSeconds: number }) {
  const state = certificateState(key, nowSeconds);
  return (
    <span className="text-sm text-ink-soft">
      Created <DateTime at={key.created} only="day" />
      {key.certificate && (
        <>
          {state === "expired" ? ". Certificate expired " : ". Certificate expires "}
          <DateTime at={key.certificate.expires_at} only="day" />
        </>
      )}
      {key.expires_at !== null && (
        <>
          . Deleted on <DateTime at={key.expires_at} only="day" />
        </>
      )}
    </span>
  );
}
