import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Answers that may be queued behind the one that a connection awaits. Few clients send ahead at all; a flood is an attack. */
const mostQueued = 8;

/** Longer than any acquirer may take (28 s); whoever has no answer by then asks again. */
const drainMs = 30_000;

const sweepEveryMs = 100;

/** What has to be known of a connection beyond the request at hand. */
export type Connections = {
  /** Records a request that was read. Returns false when the connection has too many requests queued, and was cut. */
  note(request: FastifyRequest, reply: FastifyReply): boolean;
  /**
   * Ends a connection on which bytes arrived that are no request. A request before them may have been executed, so its
   * response is sent first. `respond` sends the error, unless the response of the unreadable request has begun.
   */
  refuse(socket: Socket, respond: () => void): void;
};

/** The time for the client to read the last response on a connection whose framing failed. */
const lingerMs = 2_000;

/** The last two requests of a connection. Only the last one can be incomplete. */
type Latest = { last: FastifyReply; before: FastifyReply | null };

export function watchConnections(): Connections {
  const latest = new WeakMap<Socket, Latest>();
  const queues = new WeakMap<Socket, Set<FastifyReply>>();
  const refused = new WeakSet<Socket>();

  return {
    note(request, reply) {
      const { socket } = request.raw;
      const known = latest.get(socket);
      if (known) {
        known.before = known.last;
        known.last = reply;
      } else {
        latest.set(socket, { last: reply, before: null });
      }
      // With pipelining, a response gets its socket only when the responses before it are sent.
      if (reply.raw.socket !== null) return true;
      const queue = queues.get(socket) ?? new Set();
      queues.set(socket, queue.add(reply));
      reply.raw.once("close", () => queue.delete(reply));
      if (queue.size <= mostQueued) return true;
      socket.destroy();
      return false;
    },
    refuse(socket, respond) {
      // The parser fails again on each further packet.
      if (refused.has(socket)) return;
      refused.add(socket);
      // A browser connects ahead of need, and would read an error there as the response to its first request.
      if (socket.bytesRead === 0) {
        socket.destroy();
        return;
      }
      const { last, before } = latest.get(socket) ?? { last: null, before: null };
      // A request that was rejected by its headers has its response although its body never arrives.
      const isAnswered = last !== null && (last.request.raw.complete || last.raw.headersSent);
      const awaited = isAnswered ? last : before;
      const end = (): void => {
        if (last === null || last.request.raw.complete || !last.raw.headersSent) respond();
        socket.end();
        setTimeout(() => socket.destroy(), lingerMs).unref();
      };
      if (awaited === null || awaited.raw.writableFinished) end();
      else awaited.raw.once("close", end);
    },
  };
}

/**
 * Lets go of a server's connections while it closes: each when its answer is out, those that never asked anything at
 * once, and whatever is left after the longest that an answer may take. Node looks at them once, and then waits for ever.
 */
export function drainConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });

  return () => {
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, sweepEveryMs).unref();
    const deadline = setTimeout(() => server.closeAllConnections(), drainMs).unref();
    server.once("close", () => {
      clearInterval(sweep);
      clearTimeout(deadline);
    });
  };
}
