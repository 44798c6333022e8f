import type { Method } from "./send.ts";
import { send } from "./send.ts";

/** Calls the authentication API, which is not part of the public API and has no account or mode. */
function to<Result>(method: Method, path: string, body?: object): Promise<Result> {
  return send<Result>({ method, path: `/auth/v1${path}`, ...(body && { body }) });
}

export const auth = {
  get: <Result>(path: string) => to<Result>("GET", path),
  post: <Result>(path: string, body: object = {}) => to<Result>("POST", path, body),
  delete: <Result>(path: string) => to<Result>("DELETE", path),
};
