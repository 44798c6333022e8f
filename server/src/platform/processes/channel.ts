/**
 * One end of the message channel between a worker process and the primary process of a service. Messages arrive in the
 * order in which they were sent.
 */
export type Channel = {
  /** Sends a message without a response. */
  send(topic: string, body: unknown): void;
  /**
   * Sends a message and returns the response. Rejects if the handler fails, if the other process exits, or if it does
   * not respond within `timeoutMs`. The default is 5 seconds. Null means no limit.
   */
  request(topic: string, body: unknown, timeoutMs?: number | null): Promise<unknown>;
  /** Sets the handler of a topic. Its result is the response to a request. */
  handle(topic: string, handler: Handler): void;
};

export type Handler = (body: unknown) => unknown;

/** A channel as its transport uses it. */
export type ChannelEnd = Channel & {
  /** Processes messages that have arrived. */
  receive(messages: readonly Message[]): void;
  /**
   * Rejects all requests that wait for a response, and all later requests. Called when the other process has exited.
   */
  end(): void;
};

export type Message =
  | { readonly topic: string; readonly body: unknown; readonly id?: number }
  | { readonly responseTo: number; readonly body: unknown; readonly failed?: true };

type Pending = { resolve: (body: unknown) => void; reject: (error: Error) => void };

/**
 * A response takes less than a millisecond. A channel closes only when the process at its other end exits. Without a
 * limit, requests of customers would wait for as long as the primary process is suspended.
 */
const defaultTimeoutMs = 5_000;

/**
 * Creates one end of a channel. `post` passes messages to the other end. Messages that are sent in the same turn of the
 * event loop are passed together, because each call of `process.send` costs a system call.
 */
export function createChannel(post: (messages: readonly Message[]) => void): ChannelEnd {
  const handlers = new Map<string, Handler>();
  const pending = new Map<number, Pending>();
  let waiting: Message[] = [];
  let lastId = 0;
  let ended = false;

  function enqueue(message: Message): void {
    if (ended) return;
    if (waiting.length === 0) queueMicrotask(flush);
    waiting.push(message);
  }

  function flush(): void {
    const messages = waiting;
    waiting = [];
    if (!ended) post(messages);
  }

  async function handle(topic: string, body: unknown, id: number | undefined): Promise<void> {
    try {
      const handler = handlers.get(topic);
      if (!handler) {
        // A process that is starting does not have all its handlers yet. It can ignore the message, because it has no
        // state that the message could change.
        if (id === undefined) return;
        throw new Error(`channel: the topic '${topic}' has no handler`);
      }
      const response = handler(body);
      if (id === undefined) return;
      const awaited = response instanceof Promise ? await response : response;
      enqueue({ responseTo: id, body: awaited });
    } catch (error) {
      // A message without a response has no caller to report to, so its error is a defect of this process.
      if (id === undefined) throw error;
      enqueue({ responseTo: id, body: (error as Error).message, failed: true });
    }
  }

  return {
    send: (topic, body) => enqueue({ topic, body }),
    request(topic, body, timeoutMs = defaultTimeoutMs) {
      if (ended) return Promise.reject(otherProcessExited());
      const id = ++lastId;
      const response = new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        enqueue({ topic, body, id });
      });
      if (timeoutMs === null) return response;
      const timer = setTimeout(() => {
        pending.get(id)?.reject(noResponse(topic, timeoutMs));
        pending.delete(id);
      }, timeoutMs);
      return response.finally(() => clearTimeout(timer));
    },
    handle: (topic, handler) => void handlers.set(topic, handler),
    receive(messages) {
      for (const message of messages) {
        if ("topic" in message) {
          void handle(message.topic, message.body, message.id);
          continue;
        }
        const request = pending.get(message.responseTo);
        pending.delete(message.responseTo);
        if (message.failed) request?.reject(new Error(String(message.body)));
        else request?.resolve(message.body);
      }
    },
    end() {
      ended = true;
      for (const { reject } of pending.values()) reject(otherProcessExited());
      pending.clear();
    },
  };
}

function otherProcessExited(): Error {
  return new Error("channel: the other process has exited");
}

function noResponse(topic: string, timeoutMs: number): Error {
  return new Error(
    `channel: the other process did not respond to '${topic}' within ${timeoutMs} ms`,
  );
}

/** Returns whether a message of `process.on("message")` belongs to a channel. */
export function isMessages(message: unknown): message is readonly Message[] {
  return Array.isArray(message);
}

/** Connects two ends in one process. A message is copied, as between processes. */
export function createChannelPair(): readonly [ChannelEnd, ChannelEnd] {
  const one: ChannelEnd = createChannel((messages) => deliver(() => other, messages));
  const other: ChannelEnd = createChannel((messages) => deliver(() => one, messages));
  return [one, other];
}

function deliver(to: () => ChannelEnd, messages: readonly Message[]): void {
  const copied = JSON.parse(JSON.stringify(messages)) as Message[];
  setImmediate(() => to().receive(copied));
}
