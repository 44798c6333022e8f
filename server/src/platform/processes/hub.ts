import type { Channel } from "./channel.ts";

/** The primary process's channels to its workers. The handlers of topics give the workers access to shared state. */
export type Hub = {
  /** Adds the channel of a worker that has started. */
  add(worker: Channel): void;
  /** Removes the channel of a worker that has exited, and calls the listeners of `onRemoved`. */
  remove(worker: Channel): void;
  /** Sets the handler of a topic for all workers. */
  handle(topic: string, handler: (body: unknown, worker: Channel) => unknown): void;
  /** Calls the listener with each worker that has exited. */
  onRemoved(listener: (worker: Channel) => void): void;
  /** Sends a message to all workers except one. */
  broadcast(topic: string, body: unknown, except: Channel | null): void;
  /** Sends a request to all workers and returns the responses of those that respond within the time limit. */
  requestAll(topic: string, body: unknown, timeoutMs: number): Promise<WorkerResponse[]>;
};

export type WorkerResponse = { readonly worker: Channel; readonly body: unknown };

export function createHub(): Hub {
  const workers = new Set<Channel>();
  const handlers = new Map<string, (body: unknown, worker: Channel) => unknown>();
  const removedListeners: ((worker: Channel) => void)[] = [];

  return {
    add(worker) {
      workers.add(worker);
      for (const [topic, handler] of handlers) {
        worker.handle(topic, (body) => handler(body, worker));
      }
    },
    remove(worker) {
      workers.delete(worker);
      for (const listener of removedListeners) listener(worker);
    },
    handle(topic, handler) {
      handlers.set(topic, handler);
      for (const worker of workers) worker.handle(topic, (body) => handler(body, worker));
    },
    onRemoved: (listener) => void removedListeners.push(listener),
    broadcast(topic, body, except) {
      for (const worker of workers) if (worker !== except) worker.send(topic, body);
    },
    async requestAll(topic, body, timeoutMs) {
      const responses = await Promise.all(
        [...workers].map((worker) =>
          worker.request(topic, body, timeoutMs).then(
            (received): WorkerResponse => ({ worker, body: received }),
            () => null,
          ),
        ),
      );
      return responses.filter((response) => response !== null);
    },
  };
}
