import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * The maximum number of pipelined responses that wait for an earlier response. Legitimate clients rarely pipeline, so a
 * connection that exceeds the limit is closed.
 */
const maxQueued = 8;

/** The time limit of a shutdown. It exceeds the 28 s that a merchant's request takes at most. */
const drainMs = 30_000;

const sweepEveryMs = 100;

/** Tracks the requests of each connection. */
export type Connections = {
  /**
   * Drops the requests that Node reads after the last request of a connection. A packet can contain thousands of
   * pipelined requests, and Node continues to read them from a closed connection.
   */
  dropLateRequests(server: Server): void;
  /**
   * Records a request that was read. Returns false when it must not be executed, because the connection had too many
   * requests queued and was closed.
   */
  note(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Makes this request the last of its connection. Pipelined requests that were already read are not executed. */
  endWith(request: FastifyRequest): void;
  /**
   * Closes a connection after bytes that are not an HTTP request. A request before them may have been executed, so its
   * response is sent first. Calls `respond` to send the error, unless the response to the unreadable request has begun.
   */
  reject(socket: Socket, respond: () => void): void;
};

/** The time for the client to read the last response on a connection whose framing failed. */
const lingerMs = 2_000;

type Connection = {
  /** The reply to the last request. Only the last request can be incomplete. Null before the first request. */
  last: FastifyReply | null;
  /** The reply to the request before the last, until it is sent. */
  before: FastifyReply | null;
  /** The number of pipelined responses that wait for an earlier response. */
  queued: number;
  isEnding: boolean;
  isRejected: boolean;
};

export function watchConnections(): Connections {
  const connections = new WeakMap<Socket, Connection>();

  function connectionOf(socket: Socket): Connection {
    let connection = connections.get(socket);
    if (!connection) {
      connection = { last: null, before: null, queued: 0, isEnding: false, isRejected: false };
      connections.set(socket, connection);
    }
    return connection;
  }

  return {
    dropLateRequests(server) {
      const [handle] = server.listeners("request") as [RequestListener];
      server.off("request", handle);
      server.on("request", (request: IncomingMessage, response: ServerResponse) => {
        const { socket } = request;
        if (!socket.destroyed && !connections.get(socket)?.isEnding) handle(request, response);
      });
    },
    note(request, reply) {
      const { socket } = request.raw;
      const connection = connectionOf(socket);
      const { last } = connection;
      // Keeping a finished response would keep its request alive, which cost 19 µs of garbage collection per charge.
      connection.before = last?.raw.writableFinished ? null : last;
      connection.last = reply;
      // With pipelining, a response gets its socket only after the responses before it are sent.
      if (reply.raw.socket !== null) return true;
      connection.queued += 1;
      reply.raw.once("close", () => {
        connection.queued -= 1;
      });
      if (connection.queued <= maxQueued) return true;
      socket.destroy();
      return false;
    },
    endWith({ raw }) {
      connectionOf(raw.socket).isEnding = true;
    },
    reject(socket, respond) {
      const connection = connectionOf(socket);
      // After the first failure, the parser fails again on each further packet. Only the first failure gets a response.
      if (connection.isRejected) return;
      connection.isRejected = true;
      // A browser opens connections in advance, and would read an error there as the response to its first request.
      if (socket.bytesRead === 0) {
        socket.destroy();
        return;
      }
      const { last, before } = connection;
      // A request that was rejected because of its headers has a response already, although its body never arrives.
      const isComplete = last !== null && (last.request.raw.complete || last.raw.headersSent);
      const awaited = isComplete ? last : before;
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
 * Returns a function that closes the server's connections during shutdown. It closes each connection after its
 * response, unused connections immediately, and the remaining ones after the maximum time of a response. Node alone
 * closes idle connections only once, and then waits without limit.
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
