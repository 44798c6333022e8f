import type { Account } from "@florin/contract/account.ts";
import type { LogoMediaType } from "@florin/contract/account-profile.ts";
import { type ChangeEvent, useId, useRef, useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { Problem } from "../../components/problem.tsx";
import { redrawPhoto } from "../../components/redraw-photo.ts";
import { showToast } from "../../components/toast.tsx";

const mediaTypes = ["image/png", "image/jpeg"] as const satisfies readonly LogoMediaType[];
const maxBytes = 256 * 1024;
const maxPixels = 2_048;

/** Returns the reason why a file cannot be uploaded, or null if it can be. The service repeats the check. */
function faultOf({ size, type }: File): string | null {
  if (!mediaTypes.some((mediaType) => mediaType === type)) return "The file must be a PNG or JPEG.";
  return size > maxBytes ? "The file is larger than 256 KB. Upload a smaller file." : null;
}

type Props = { readonly account: Account; readonly unavailable: string | null };

/** Shows, replaces and removes the logo. A chosen file is uploaded immediately. */
export function LogoField({ account, unavailable }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const upload = useOperation<File, Account>(
    (api, file, key) => api.post("/account/logo", file, key),
    {
      done: () => showToast("Logo saved."),
    },
  );
  const remove = useOperation<undefined, Account>((api) => api.delete("/account/logo"), {
    done: () => showToast("Logo removed."),
  });
  async function choose({ target }: ChangeEvent<HTMLInputElement>) {
    const [chosen] = target.files ?? [];
    if (!chosen) return;
    // A PNG is uploaded unchanged, because it can be transparent.
    const file = chosen.type === "image/jpeg" ? await redrawPhoto(chosen, maxPixels) : chosen;
    const found = faultOf(file);
    setFault(found);
    if (found === null) await upload.run(file);
    // Clears the field, because the browser fires no change event when the same file is chosen again.
    target.value = "";
  }
  const problem = upload.problem ?? remove.problem;
  const { logo_path } = account;
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Logo
      </label>
      <div className="flex flex-wrap items-center gap-3">
        <span className="grid size-16 shrink-0 place-items-center rounded-md border border-line bg-sunken p-1.5">
          {logo_path ? (
            <img src={logo_path} alt="Your logo" className="max-h-full max-w-full object-contain" />
          ) : (
            <span className="text-sm text-ink-faint">None</span>
          )}
        </span>
        <input
          ref={input}
          id={id}
          type="file"
          accept={mediaTypes.join(",")}
          disabled={unavailable !== null}
          aria-describedby={`${id}-hint`}
          onChange={(event) => void choose(event)}
          className="sr-only"
        />
        <Button
          busy={upload.pending}
          unavailable={unavailable}
          onClick={() => input.current?.click()}
        >
          {logo_path ? "Replace logo" : "Upload logo"}
        </Button>
        {logo_path && unavailable === null && (
          <Button weight="quiet" busy={remove.pending} onClick={() => void remove.run(undefined)}>
            Remove
          </Button>
        )}
      </div>
      <p id={`${id}-hint`} className="text-sm text-ink-soft">
        PNG or JPEG, up to 256 KB, from 32 to 2048 pixels wide and high.
      </p>
      {fault && (
        <p role="alert" className="text-sm text-negative">
          {fault}
        </p>
      )}
      {problem && <Problem problem={problem} />}
    </div>
  );
}
