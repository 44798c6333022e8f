import { send } from "./send.ts";

const everyMs = 15 * 60_000;

/**
 * Gives the browser's session a new token now and then, so that a stolen one is of use for a short time only. Returns
 * what stops it. A renewal that fails is made up for by the next.
 */
export function renewSessionRegularly(): () => void {
  const timer = setInterval(() => {
    send({ method: "POST", path: "/auth/v1/session/renew", body: {}, unasked: true }).catch(
      () => {},
    );
  }, everyMs);
  return () => clearInterval(timer);
}
