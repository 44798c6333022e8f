import { newKey } from "./new-key.ts";
import { ApiProblem, problemIn } from "./problem.ts";
import { signInAgain } from "./sign-in-again.ts";
import { renewAfterStepUp } from "./step-up.ts";

export type Method = "GET" | "POST" | "DELETE";

export type Sent = {
  readonly method: Method;
  /** The path with its query, without the origin: `/api/v1/charges`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The Idempotency-Key of the operation. Retries with it are carried out once. */
  readonly key?: string;
  readonly signal?: AbortSignal;
  /** Skips the dialogs for sign-in and step-up. */
  readonly unasked?: boolean;
};

/**
 * Sends one request as the signed-in person and returns the response. A POST without a response is sent again with the
 * same Idempotency-Key. A request that needs step-up or a new session is sent again after that.
 */
export async function send<Result>(sent: Sent): Promise<Result> {
  const response = await answerTo(sent);
  return (await response.json()) as Result;
}

/** Returns the raw response, for content that is not JSON, such as a file. */
export async function answerTo(sent: Sent): Promise<Response> {
  const request = sent.method === "POST" ? { key: newKey(), ...sent } : sent;
  for (let tries = 0; ; tries++) {
    const response = await sendUntilAnswered(request);
    if (response.ok) {
      wasSignedIn = true;
      return response;
    }
    const problem = await problemIn(response);
    if (sent.unasked || !(await isPutRight(problem, sent, tries === 0))) throw problem;
  }
}

/** Time for the response that replaced the session's cookie to arrive. */
const newCookieMs = 500;

/** True once a request of this page succeeded. A later `sign_in_required` may then mean that the cookie was just replaced. */
let wasSignedIn = false;

/**
 * Shows the dialog for the missing sign-in or step-up. Each retry needs a completed dialog, so closing it ends the
 * loop.
 */
async function isPutRight(
  { code }: ApiProblem,
  { method }: Sent,
  isFirstTry: boolean,
): Promise<boolean> {
  if (code === "step_up_required") return renewAfterStepUp();
  if (code === "sign_in_required" && isFirstTry && wasSignedIn) {
    // The token was rotated during the request, by this page or another. The new cookie may have arrived by now.
    await new Promise((resolve) => setTimeout(resolve, newCookieMs));
    return true;
  }
  if (code === "sign_in_required") return signInAgain({ pressed: method !== "GET" });
  return false;
}

const pausesMs = [400, 1_500];

async function sendUntilAnswered(sent: Sent): Promise<Response> {
  for (const pause of [...pausesMs, null]) {
    const response = await once(sent).catch((error: unknown) => {
      if (sent.signal?.aborted || !(error instanceof TypeError)) throw error;
      return null;
    });
    if (response && !isPassing(response.status)) return response;
    if (pause === null) return response ?? unreachable();
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return unreachable();
}

/** Returns whether the status comes from a proxy or an overloaded service and may pass, regardless of the request. */
function isPassing(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

function unreachable(): never {
  throw new ApiProblem(0, null);
}

async function once({ method, path, headers, body, key, signal }: Sent): Promise<Response> {
  const file = body instanceof Blob;
  const response = await fetch(path, {
    method,
    credentials: "same-origin",
    headers: {
      ...(body !== undefined && { "content-type": file ? body.type : "application/json" }),
      ...(key && { "idempotency-key": key }),
      ...(isIdle() && { "florin-away": "1" }),
      ...headers,
    },
    ...(body !== undefined && { body: file ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  // Read the whole body here: a response that breaks off is lost like one that never came.
  const answer = await response.arrayBuffer();
  return new Response(answer.byteLength > 0 ? answer : null, response);
}

/**
 * The idle time after which requests are marked as background reads. The service does not count those as activity, so
 * that a page with automatic reads does not keep an idle person's session open.
 */
const awayAfterMs = 60_000;

let touchedAt = performance.now();

for (const event of ["pointerdown", "keydown", "wheel", "touchstart"]) {
  addEventListener(event, () => (touchedAt = performance.now()), { passive: true, capture: true });
}

function isIdle(): boolean {
  return performance.now() - touchedAt > awayAfterMs;
}
