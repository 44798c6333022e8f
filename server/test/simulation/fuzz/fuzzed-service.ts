import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import type { JsonSchema, OpenApiDocument } from "@florin/contract/openapi.ts";
import type { Stall } from "./stalls.ts";

export type FuzzedService = {
  readonly url: string;
  /** The origin of the loopback listener. */
  readonly internalUrl: string;
  readonly secrets: {
    /** The secret in the link to the list of sent mails. */
    readonly inbox: string;
    /** The secret in the URL of the acquirer's notifications. */
    readonly notifications: string;
  };
  readonly document: OpenApiDocument;
  readonly routes: readonly FuzzedRoute[];
  readonly internalRoutes: readonly FuzzedRoute[];
};

/** A route of the server's table. The HEAD route that Fastify adds to each GET is left out. */
export type FuzzedRoute = {
  readonly method: string;
  readonly url: string;
  readonly body: JsonSchema | null;
  readonly query: JsonSchema | null;
  /** The schema of its response, if it is for our own pages. */
  readonly returns: JsonSchema | null;
};

export type Merchant = {
  readonly account: string;
  readonly key: string;
  /** The session of the account's owner. */
  readonly cookie: string;
};

/** A person who is signed in, with a recent step-up. */
export type Person = { readonly email: string; readonly password: string; readonly cookie: string };

export type Operator = {
  readonly cookie: string;
  /** Accounts without an application, with a submitted one and with an approved one, which no other request uses. */
  readonly accounts: string[];
};

/** The ids and callback URLs of a challenge, which only the simulated card network knows. */
export type NetworkIds = {
  readonly acsTransID: string;
  readonly threeDSServerTransID: string;
  readonly dsTransID: string;
  readonly notificationURL: string;
  readonly resultsURL: string;
};

/** The stalls and faults that the service recorded. */
export type Report = {
  readonly stalls: readonly Stall[];
  readonly faults: readonly Record<string, unknown>[];
};

/** The requests to the child process and their responses. */
export type Questions = {
  readonly merchant: Merchant;
  readonly person: Person;
  readonly operator: Operator;
  readonly network: NetworkIds | null;
  readonly report: Report;
};

export type Question = {
  readonly id: number;
  readonly name: keyof Questions | "close";
  readonly about?: string;
};

/** Starts the service in a child process. */
export async function startFuzzedService() {
  const child = fork(new URL("./fuzz-server.ts", import.meta.url), { stdio: "inherit" });
  const waiting = new Map<number, (response: never) => void>();
  let requested = 0;

  const [{ ready }] = (await once(child, "message")) as [{ ready: FuzzedService }];
  assert.ok(ready, "the service did not start");
  child.on("message", ({ id, response }: { id: number; response: never }) => {
    waiting.get(id)?.(response);
    waiting.delete(id);
  });

  function request<Name extends keyof Questions>(name: Name, about = ""): Promise<Questions[Name]> {
    const question: Question = { id: ++requested, name, about };
    return new Promise((resolve) => {
      waiting.set(question.id, resolve);
      child.send(question);
    });
  }

  return {
    ...ready,
    merchant: () => request("merchant"),
    person: () => request("person"),
    operator: () => request("operator"),
    network: (acsTransID: string) => request("network", acsTransID),
    report: () => request("report"),
    async close() {
      const exited = once(child, "exit");
      child.send({ id: 0, name: "close" } satisfies Question);
      await exited;
    },
  };
}
