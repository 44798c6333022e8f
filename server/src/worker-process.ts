import cluster from "node:cluster";
import type { Config } from "./config.ts";
import { type RunningServer, runServer, type ServerParts } from "./main.ts";
import { StartupError } from "./platform/database/startup-error.ts";
import { ListenError } from "./platform/http/listen.ts";
import { createChannel, isMessages } from "./platform/processes/channel.ts";
import { endProcess, killOnUncaughtError } from "./platform/processes/end-process.ts";

/** The topics with which the primary process controls a worker process. */
export const workerTopics = { start: "worker: start", stop: "worker: stop" } as const;

/** The time after which a worker that does not stop is killed. It exceeds the 28 s that a request takes at most. */
export const killAfterMs = 35_000;

/** The message with which the primary process starts a server in a worker process. */
export type StartWorker = {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly index: number;
  readonly count: number;
  readonly inboxSecret: string | null;
  /** The value of `ServiceOptions.parts`, from which the worker's script creates the parts of the server. */
  readonly parts: unknown;
};

export type StartedWorker =
  | { readonly kind: "started"; readonly url: string }
  /** `text`: the message of an error that the operator can fix, or else the stack trace. */
  | { readonly kind: "failed"; readonly text: string; readonly isKnown: boolean };

/**
 * Runs this process as a worker of a service. Starts a server when the primary process requests it. Stops the server on
 * the primary's request, or if the primary exits. `createParts` gets the value of `ServiceOptions.parts`.
 */
export function runWorker<Parts>(
  createParts: (config: Config, parts: Parts) => Promise<ServerParts> | ServerParts,
): void {
  killOnUncaughtError();
  const primary = createChannel((messages) => void process.send?.(messages, ignoreError));
  let starting: Promise<RunningServer> | null = null;
  let stopping = false;

  /** Finishes the requests in flight and exits. */
  async function stop(): Promise<void> {
    if (stopping) return;
    stopping = true;
    const server = await starting?.catch(() => null);
    await server?.close();
    endProcess(0);
  }

  process.on("message", (messages) => {
    if (isMessages(messages)) primary.receive(messages);
  });
  // By default, a worker exits immediately if its primary exits, and interrupts the requests in flight.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  // The state that the processes share is lost with the primary, and nothing restarts this worker after a crash. The
  // worker therefore finishes the requests in flight and exits.
  process.on("disconnect", () => {
    primary.end();
    setTimeout(() => process.kill(process.pid, "SIGKILL"), killAfterMs).unref();
    void stop();
  });
  process.on("SIGTERM", () => void stop());
  // A terminal sends these signals to all processes of the service. The primary then stops its workers.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);

  primary.handle(workerTopics.start, async (body): Promise<StartedWorker> => {
    const { config, databaseUrl, index, count, inboxSecret, parts } = body as StartWorker;
    try {
      const siblings = { index, count, primary };
      starting = Promise.resolve(createParts(config, parts as Parts)).then((created) =>
        runServer(config, databaseUrl, created, { siblings, inboxSecret }),
      );
      return { kind: "started", url: (await starting).url };
    } catch (error) {
      const isKnown = error instanceof StartupError || error instanceof ListenError;
      const { message, stack } = error as Error;
      return { kind: "failed", isKnown, text: isKnown ? message : (stack ?? message) };
    }
  });
  primary.handle(workerTopics.stop, () => void stop());
}

/** Ignores the error of a message to a primary that has exited. The event `disconnect` follows. */
function ignoreError(): void {}
