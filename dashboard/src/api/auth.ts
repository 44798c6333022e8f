import type { Method } from "./send.ts";
import { send } from "./send.ts";

/** Calls the authentication API, which is not part of the public API and has no account or mode. */
function to<Answer>(method: Method, path: string, body?: object): Promise<Answer> {
  return send<Answer>({ method, path: `/auth/v1${path}`, ...(body && { body }) });
}

export const auth = {
  get: <Answer>(path: string) => to<Answer>("GET", path),
  post: <Answer>(path: string, body: object = {}) => to<Answer>("POST", path, body),
  delete: <Answer>(path: string) => to<Answer>("DELETE", path),
};
