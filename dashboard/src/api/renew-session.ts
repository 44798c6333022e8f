import { send } from "./send.ts";

const everyMs = 15 * 60_000;

/**
 * Rotates the session token every 15 minutes, so that a stolen token expires soon. Returns a function that stops the
 * rotation. After a failure, the next try is at the next interval.
 */
export function renewSessionRegularly(): () => void {
  const timer = setInterval(() => {
    send({ method: "POST", path: "/auth/v1/session/renew", body: {}, withoutDialogs: true }).catch(
      () => {},
    );
  }, everyMs);
  return () => clearInterval(timer);
}
