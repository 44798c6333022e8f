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
  /** Notes a request that was read; false when its connection has more coming than it may, and is cut. */
  note(request: FastifyRequest, reply: FastifyReply): boolean;
  /** True when what cannot be read may be answered by hand: nobody would take that for the answer to something else. */
  isListening(socket: Socket): boolean;
};

export function watchConnections(): Connections {
  const latest = new WeakMap<Socket, FastifyReply>();
  const queues = new WeakMap<Socket, Set<FastifyReply>>();

  return {
    note(request, reply) {
      const { socket } = request.raw;
      latest.set(socket, reply);
      // An answer is given its connection when its turn comes; most have it at once.
      if (reply.raw.socket !== null) return true;
      const queue = queues.get(socket) ?? new Set();
      queues.set(socket, queue.add(reply));
      reply.raw.once("close", () => queue.delete(reply));
      if (queue.size <= mostQueued) return true;
      socket.destroy();
      return false;
    },
    isListening(socket) {
      // A browser connects ahead of need, and would take what it hears there for the answer to its first request.
      if (socket.bytesRead === 0) return false;
      const reply = latest.get(socket);
      if (!reply) return true;
      const { raw } = reply;
      if (reply.request.raw.complete) return raw.writableFinished;
      return raw.socket === socket && !raw.headersSent;
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
