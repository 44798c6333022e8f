import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import type { JsonSchema, OpenApiDocument } from "@florin/contract/openapi.ts";
import type { Stall } from "./event-loop-stalls.ts";

export type FuzzedService = {
  readonly url: string;
  /** The origin of the loopback listener. */
  readonly internalUrl: string;
  readonly secrets: {
    /** The secret in the link to the demo inbox. */
    readonly inbox: string;
    /** The secret in the URL of the acquirer's notifications. */
    readonly notifications: string;
  };
  readonly document: OpenApiDocument;
  readonly routes: readonly FuzzedRoute[];
  readonly internalRoutes: readonly FuzzedRoute[];
};

/** A route of the server. Excludes the HEAD routes that Fastify adds for each GET route. */
export type FuzzedRoute = {
  readonly method: string;
  readonly url: string;
  readonly body: JsonSchema | null;
  readonly query: JsonSchema | null;
  /** The schema of the response, for a route that only Florin's own pages call. */
  readonly returns: JsonSchema | null;
};

export type Merchant = {
  readonly account: string;
  readonly key: string;
  /** The session cookie of the account's owner. */
  readonly cookie: string;
};

/** A person who is signed in, with a recent step-up. */
export type Person = { readonly email: string; readonly password: string; readonly cookie: string };

export type Operator = {
  readonly cookie: string;
  /**
   * Three accounts: without an application, with a submitted application, and with an approved application. Only
   * requests of the admin console use them.
   */
  readonly accounts: string[];
};

/** The transaction IDs and callback URLs of a challenge, which only the simulated card network has. */
export type NetworkIds = {
  readonly acsTransID: string;
  readonly threeDSServerTransID: string;
  readonly dsTransID: string;
  readonly notificationURL: string;
  readonly resultsURL: string;
};

/** The stalls of the service's event loop and the errors that it logged since the last report. */
export type Report = {
  readonly stalls: readonly Stall[];
  readonly loggedErrors: readonly Record<string, unknown>[];
};

/** The child process's response to each kind of request. */
export type ChildResponses = {
  readonly merchant: Merchant;
  readonly person: Person;
  readonly operator: Operator;
  readonly network: NetworkIds | null;
  readonly report: Report;
};

export type ChildRequest = {
  readonly id: number;
  readonly name: keyof ChildResponses | "close";
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

  function request<Name extends keyof ChildResponses>(
    name: Name,
    about = "",
  ): Promise<ChildResponses[Name]> {
    const childRequest: ChildRequest = { id: ++requested, name, about };
    return new Promise((resolve) => {
      waiting.set(childRequest.id, resolve);
      child.send(childRequest);
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
      child.send({ id: 0, name: "close" } satisfies ChildRequest);
      await exited;
    },
  };
}
