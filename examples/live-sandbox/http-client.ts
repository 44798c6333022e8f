import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";

/** A person's browser that is signed in to Florin. */
export type Person = {
  readonly email: string;
  readonly password: string;
  /** The secret of the authenticator app, which a sign-in in another browser needs. */
  readonly totpSecret: string;
  /** Sends a request to a route that is not scoped to an account. */
  send<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Sends a request about an account in one mode. */
  inAccount(account: string, mode: "test" | "live"): Pick<Person, "send">;
};

export type Credentials = { readonly email: string; readonly password: string };

/** Returns credentials for the first operator, with a random password. */
export function newOperatorCredentials(): Credentials {
  return {
    email: "operator@florin.example",
    // The suffix makes sure that the password contains a digit, which is required. Random characters may contain none.
    password: `${randomBytes(12).toString("base64url")}-a1`,
  };
}

/** Signs a person in with one request to the path, and adds an authenticator app, which live mode requires. */
export async function signIn(
  url: string,
  path: "/auth/v1/sign_in" | "/auth/v1/operator_set_up",
  { email, password }: Credentials,
  more: object = {},
): Promise<Person> {
  const cookies = new Map<string, string>();

  function sendWith(headers: Readonly<Record<string, string>>): Person["send"] {
    return async (method, requestPath, body) => {
      const response = await sendRequest(url + requestPath, {
        method,
        body,
        headers: {
          cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
          "sec-fetch-site": "same-origin",
          ...headers,
        },
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [pair = ""] = cookie.split(";", 1);
        const separator = pair.indexOf("=");
        cookies.set(pair.slice(0, separator), pair.slice(separator + 1));
      }
      return (await response.json()) as never;
    };
  }

  const send = sendWith({});
  await send("POST", path, { email, password, ...more });
  const { secret } = await send<{ secret: string }>("POST", "/auth/v1/totp");
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await send("POST", "/auth/v1/totp/confirm", { totp_code: code });
  return {
    email,
    password,
    totpSecret: secret,
    send,
    inAccount: (account, mode) => ({
      send: sendWith({ "florin-account": account, "florin-mode": mode }),
    }),
  };
}

/** Sends a request with a secret key. */
export async function sendWithKey<Body>(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await sendRequest(url + path, { method, body, headers });
  return (await response.json()) as Body;
}

/** Sends bytes as a PDF, and everything else as JSON. Throws if the response is not successful. */
export async function sendRequest(
  url: string,
  {
    method,
    body,
    headers = {},
  }: { method: string; body?: unknown; headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const isFile = body instanceof Uint8Array;
  const type = isFile ? "application/pdf" : "application/json";
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "content-type": type }), ...headers },
    body: body === undefined ? null : isFile ? Buffer.from(body) : JSON.stringify(body),
  });
  if (response.ok) return response;
  throw new Error(`${method} ${url} failed with ${response.status}: ${await response.text()}`);
}
