import { type Method, send, sendForResponse } from "./send.ts";

/** The account and mode that a page's URL names. */
export type Scope = { readonly account: string; readonly mode: "test" | "live" };

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Calls the public API for one account and mode as the signed-in person. */
export type Api = {
  readonly scope: Scope;
  get<Result>(path: string, query?: Query, signal?: AbortSignal): Promise<Result>;
  post<Result>(path: string, body?: object, key?: string): Promise<Result>;
  delete<Result>(path: string): Promise<Result>;
  /** Returns the raw response, for content that is not JSON. */
  download(path: string, query?: Query): Promise<Response>;
};

export function apiOf(scope: Scope): Api {
  const headers = { "florin-account": scope.account, "florin-mode": scope.mode };
  const sent = (method: Method, path: string) => ({ method, path: `/api/v1${path}`, headers });
  return {
    scope,
    get: (path, query, signal) =>
      send({ ...sent("GET", path + queryText(query)), ...(signal && { signal }) }),
    post: (path, body = {}, key) => send({ ...sent("POST", path), body, ...(key && { key }) }),
    delete: (path) => send(sent("DELETE", path)),
    download: (path, query) => sendForResponse(sent("GET", path + queryText(query))),
  };
}

export function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return "";
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** One page of a list, as the API returns it. */
export type ListOf<Item> = { readonly data: readonly Item[]; readonly has_more: boolean };
