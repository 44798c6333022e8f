import type { Socket } from "node:net";
import { AttemptFailed } from "./attempt-failure.ts";

/** Far more than consecutive responses of the maximum size amount to. */
const maxBytes = 4 * 1024 * 1024;
const everyMs = 100;

/**
 * Closes a connection that sends bytes which never become a response. An endless status line, chunk extension or
 * header would otherwise occupy the parser, and so all other deliveries, until the deadline.
 */
export function limitReceivedBytes(socket: Socket): void {
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const read = socket.bytesRead - before;
    before = socket.bytesRead;
    if (read <= maxBytes) return;
    const message =
      "The endpoint sent megabytes of data that are not a response. The connection was closed.";
    socket.destroy(new AttemptFailed({ code: "body_too_large", message }));
  }, everyMs);
  timer.unref();
  socket.once("close", () => clearInterval(timer));
}
