import type { ApiKeyWithSecret } from "@florin/contract/api-key.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { PageLink } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { Problem } from "../../components/problem.tsx";

type Props = { readonly secret: string | null; readonly onCreated: (secret: string) => void };

/** Creates a key and inserts it into the examples. The key is visible while this page is open. */
export function TestKey({ secret, onCreated }: Props) {
  const may = useMay();
  const make = useOperation<void, ApiKeyWithSecret>(
    (api, _none, key) => api.post("/api_keys", { name: "First payment" }, key),
    { done: (made) => onCreated(made.secret) },
  );
  if (secret) {
    return (
      <>
        <Code text={secret} label="test key" />
        <Notice tone="warning">
          Copy the key now. It is stored as a hash and cannot be shown again. Keep it on your
          server, and never put it in a page.
        </Notice>
      </>
    );
  }
  return (
    <>
      <p className="max-w-2xl text-ink-soft">
        Your server authenticates with a secret key. A test key works only in test mode and moves no
        money. Manage your keys in <PageLink to="/api-keys">API keys</PageLink>.
      </p>
      {make.problem && <Problem problem={make.problem} />}
      <div>
        <Button
          weight="primary"
          busy={make.pending}
          unavailable={
            may("keys:write") ? null : "Your role cannot create API keys. Ask a developer for one."
          }
          onClick={() => void make.run()}
        >
          Create test key
        </Button>
      </div>
    </>
  );
}
