import type { FastifyRequest } from "fastify";

/**
 * Route options that overwrite the raw body of a request after its response is sent. The body may contain card data,
 * which would otherwise stay in the process's memory until the garbage collector reuses the memory.
 *
 * This is best effort: the strings parsed from the body cannot be overwritten in JavaScript, and neither can the copies
 * that the operating system and Node made while they read the socket.
 */
export const wipeBodyAfterwards = {
  onResponse(request: FastifyRequest, _reply: unknown, done: () => void): void {
    if (Buffer.isBuffer(request.body)) request.body.fill(0);
    done();
  },
};
