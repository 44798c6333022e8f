import { useState } from "react";
import { useMay } from "../../api/signed-in-person.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Problem } from "../../components/problem.tsx";
import { AppearanceEditor } from "./appearance-editor.tsx";
import { Examples } from "./examples.tsx";
import { MountedCardForm } from "./mounted-card-form.tsx";
import { createSession, keyPlaceholder, mountForm } from "./snippets.ts";

type Opened = { readonly session: { readonly id: string }; readonly embed_url: string };

/** The actual card form in test mode, with an appearance that can be edited. */
export function Playground({ secret }: { secret: string | null }) {
  const may = useMay();
  const [session, setSession] = useState<Opened | null>(null);
  const [tokens, setTokens] = useState<Readonly<Record<string, string>>>({});
  const open = useOperation<void, Opened>(
    (api, _none, key) =>
      api.post(
        "/checkout_sessions",
        {
          currency: "usd",
          line_items: [
            { name: "Moon vase", quantity: 1, amount: 9600 },
            { name: "Morning cup", quantity: 2, amount: 2800 },
          ],
          description: "Order 1042",
          allowed_origins: [location.origin],
        },
        key,
      ),
    { done: setSession },
  );
  return (
    <>
      <p className="max-w-2xl text-ink-soft">
        Your server creates a checkout session, and your page shows the card form for that session.
        Card data goes from the customer’s browser to the vault and never reaches your server.
      </p>
      <Examples
        label="Checkout session example"
        snippets={createSession(location.origin, secret ?? keyPlaceholder)}
      />
      {open.problem && <Problem problem={open.problem} />}
      {session ? (
        <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
          <MountedCardForm key={session.session.id} embedUrl={session.embed_url} tokens={tokens} />
          <div className="grid gap-4">
            <AppearanceEditor tokens={tokens} onChange={setTokens} />
            <div>
              <Button small busy={open.pending} onClick={() => void open.run()}>
                Create new session
              </Button>
            </div>
          </div>
        </div>
      ) : (
        <div>
          <Button
            busy={open.pending}
            unavailable={
              may("payments:write")
                ? null
                : "Your role does not have permission to create checkout sessions."
            }
            onClick={() => void open.run()}
          >
            Open playground
          </Button>
        </div>
      )}
      {session && <Code text={mountForm(location.origin, tokens)} label="page example" />}
    </>
  );
}
