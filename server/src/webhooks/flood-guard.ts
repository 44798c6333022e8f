import type { Socket } from "node:net";
import { AttemptFailed } from "./attempt-failure.ts";

/** Far more than answers of the largest size, one after the other, come to. */
const mostBytes = 4 * 1024 * 1024;
const everyMs = 100;

/**
 * Ends a connection that pours out bytes which never become an answer: a status line, a chunk's extension or a header
 * without end would otherwise be parsed, at the cost of everybody else, until the deadline.
 */
export function guardAgainstFlood(socket: Socket): void {
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const read = socket.bytesRead - before;
    before = socket.bytesRead;
    if (read <= mostBytes) return;
    const message = "The endpoint sent megabytes that are no answer, and was hung up on.";
    socket.destroy(new AttemptFailed({ code: "body_too_large", message }));
  }, everyMs);
  timer.unref();
  socket.once("close", () => clearInterval(timer));
}
