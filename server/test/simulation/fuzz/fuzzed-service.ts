import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import type { OpenApiDocument } from "@florin/contract/openapi.ts";
import type { Stall } from "./stalls.ts";

export type FuzzedService = { readonly url: string; readonly document: OpenApiDocument };

export type Credentials = {
  readonly account: string;
  readonly key: string;
  readonly cookie: string;
};

/** Starts the service in a child process. */
export async function startFuzzedService() {
  const child = fork(new URL("./fuzz-server.ts", import.meta.url), { stdio: "inherit" });

  async function ask<Answer>(question: "credentials" | "stalls"): Promise<Answer> {
    child.send(question);
    for (;;) {
      const [answer] = await once(child, "message");
      if (question in answer) return answer;
    }
  }

  const [{ ready }] = (await once(child, "message")) as [{ ready: FuzzedService }];
  assert.ok(ready, "the service did not start");
  return {
    ...ready,
    credentials: async () => (await ask<{ credentials: Credentials }>("credentials")).credentials,
    report: () =>
      ask<{ stalls: readonly Stall[]; faults: readonly Record<string, unknown>[] }>("stalls"),
    async close() {
      const exited = once(child, "exit");
      child.send("close");
      await exited;
    },
  };
}
