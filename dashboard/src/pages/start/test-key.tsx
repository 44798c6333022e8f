import type { ApiKeyWithSecret } from "@florin/contract/api-key.ts";
import { useMay } from "../../api/me.ts";
import { useAct } from "../../api/use-act.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { PageLink } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { Problem } from "../../components/problem.tsx";

type Props = { readonly secret: string | null; readonly onMade: (secret: string) => void };

/** Creates a key for the examples. It is visible while this page is open and is inserted into them. */
export function TestKey({ secret, onMade }: Props) {
  const may = useMay();
  const make = useAct<void, ApiKeyWithSecret>(
    (api, _none, key) => api.post("/api_keys", { name: "First payment" }, key),
    { done: (made) => onMade(made.secret) },
  );
  if (secret) {
    return (
      <>
        <Code text={secret} label="test key" wrap />
        <Notice tone="warning">
          Copy it now: only a hash of it is kept, and it is not shown again. It belongs on your
          server, never into a page.
        </Notice>
      </>
    );
  }
  return (
    <>
      <p className="max-w-2xl text-ink-soft">
        Your server proves who it is with a secret key. A key of test mode can do everything, and
        move no money. All your keys are at <PageLink to="/api-keys">API keys</PageLink>.
      </p>
      {make.problem && <Problem problem={make.problem} />}
      <div>
        <Button
          weight="primary"
          busy={make.pending}
          unavailable={
            may("keys:write") ? null : "Your role makes no keys. A developer can give you one."
          }
          onClick={() => void make.run()}
        >
          Make a test key
        </Button>
      </div>
    </>
  );
}
