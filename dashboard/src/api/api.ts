import { answerTo, type Method, send } from "./send.ts";

/** Whose things, and in which of the two worlds. It stands in the address of every page. */
export type Scope = { readonly account: string; readonly mode: "test" | "live" };

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The public API of one account and mode, as the person who is signed in. */
export type Api = {
  readonly scope: Scope;
  get<Answer>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer>;
  post<Answer>(path: string, body?: object, key?: string): Promise<Answer>;
  delete<Answer>(path: string): Promise<Answer>;
  /** The raw answer, for what is not JSON. */
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
    download: (path, query) => answerTo(sent("GET", path + queryText(query))),
  };
}

export function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return "";
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** A page of a list, as the API answers it. */
export type ListOf<Item> = { readonly data: readonly Item[]; readonly has_more: boolean };
