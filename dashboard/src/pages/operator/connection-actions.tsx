import type { Connection } from "@florin/contract/operator-connections.ts";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ReasonDialog, type ReasonWords, serviceLogHint } from "./reason-dialog.tsx";
import { missingSteps } from "./setup-steps.ts";

const transitions = {
  activate: {
    button: "Activate connection",
    title: "Activate connection",
    lead: "Live charges of the assigned accounts are sent over this connection.",
    done: "Connection activated.",
    weight: "primary",
    hint: serviceLogHint,
  },
  suspend: {
    button: "Suspend connection",
    title: "Suspend connection",
    lead: "New charges are no longer sent over this connection. Captures, refunds and inquiries continue.",
    done: "Connection suspended.",
    weight: "danger",
    hint: serviceLogHint,
  },
  resume: {
    button: "Resume connection",
    title: "Resume connection",
    lead: "New charges are sent over this connection again.",
    done: "Connection resumed.",
    weight: "primary",
    hint: serviceLogHint,
  },
  drain: {
    button: "Stop new charges",
    title: "Stop new charges permanently",
    lead: "The connection cannot be resumed. Captures, refunds and disputes of its charges continue until you retire it.",
    done: "The connection accepts no new charges.",
    weight: "danger",
    hint: serviceLogHint,
  },
  retire: {
    button: "Retire connection",
    title: "Retire connection permanently",
    lead: "Erases the secrets. Refunds and inquiries can no longer be sent for its charges.",
    done: "Connection retired.",
    weight: "danger",
    hint: serviceLogHint,
  },
} as const satisfies Record<string, ReasonWords>;

type Transition = keyof typeof transitions;

/** The transitions that each state allows. */
const allowed: Readonly<Record<Connection["state"], readonly Transition[]>> = {
  draft: ["retire", "activate"],
  tested: ["retire", "activate"],
  active: ["drain", "suspend"],
  suspended: ["drain", "resume"],
  draining: ["retire"],
  retired: [],
};

export function ConnectionActions({ connection }: { connection: Connection }) {
  const [open, setOpen] = useState<Transition | null>(null);
  const { id, state, version } = connection;
  const [missing] = missingSteps(connection);
  return (
    <>
      {allowed[state].map((name) => (
        <Button
          key={name}
          // Only an action that cannot be undone is marked as dangerous.
          weight={name === "suspend" ? "plain" : transitions[name].weight}
          unavailable={name === "activate" ? missing : null}
          onClick={() => setOpen(name)}
        >
          {transitions[name].button}
        </Button>
      ))}
      {open && (
        <ReasonDialog
          path={`/connections/${id}/${open}`}
          words={transitions[open]}
          params={{ version }}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}
