import { currentPage } from "./current-page.ts";
import { newKey } from "./new-idempotency-key.ts";
import { ApiProblem, problemIn } from "./problem.ts";
import { signInAgain } from "./sign-in-again.ts";
import { showStepUp } from "./step-up.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type SentRequest = {
  readonly method: Method;
  /** The path with its query, without the origin: `/api/v1/charges`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /**
   * The Idempotency-Key of the operation. The service executes the operation only once, even if the request is retried.
   */
  readonly key?: string;
  readonly signal?: AbortSignal;
  /** Rejects instead of showing the sign-in or step-up dialog. */
  readonly withoutDialogs?: boolean;
};

/**
 * Sends one request as the signed-in person and returns the response. If there is no response, retries the request. A
 * POST is retried with the same Idempotency-Key. If the request needs step-up or a new session, shows the dialog and
 * then sends the request again, unless it is an operation of a page that the person has left in the meantime.
 */
export async function send<Result>(sent: SentRequest): Promise<Result> {
  const response = await sendForResponse(sent);
  return (await response.json()) as Result;
}

/** Returns the raw response, for content that is not JSON, such as a file. */
export async function sendForResponse(sent: SentRequest): Promise<Response> {
  const request = sent.method === "POST" ? { key: newKey(), ...sent } : sent;
  const page = currentPage();
  // An operation of a page that the person has left is not sent again, because the object that it would change is no
  // longer shown.
  const isLeft = () => sent.method !== "GET" && page.aborted;
  for (let tries = 0; ; tries++) {
    const response = await sendWithRetries(request);
    if (response.ok) {
      wasSignedIn = true;
      return response;
    }
    const problem = await problemIn(response);
    if (sent.withoutDialogs || !(await canBeRetried(problem, sent, tries === 0, isLeft))) {
      throw problem;
    }
  }
}

/**
 * The delay before a request is retried after a token rotation. A request with the old cookie may be rejected before
 * the response with the new cookie arrives.
 */
const newCookieMs = 500;

/**
 * True after the first successful request of this page. A `sign_in_required` error can then mean that the session
 * cookie was replaced during the request.
 */
let wasSignedIn = false;

/**
 * Shows the sign-in or step-up dialog that the error requires. Returns whether to send the request again. The person
 * ends the retries by closing the dialog, or by leaving the page of an operation (`isLeft`).
 */
async function canBeRetried(
  { code }: ApiProblem,
  { method }: SentRequest,
  isFirstTry: boolean,
  isLeft: () => boolean,
): Promise<boolean> {
  if (code === "sign_in_required" && isFirstTry && wasSignedIn) {
    // The dashboard may have rotated the session token during the request, in this tab or in another one. Wait for the
    // new cookie.
    await new Promise((resolve) => setTimeout(resolve, newCookieMs));
    return true;
  }
  if (isLeft()) return false;
  if (code === "step_up_required") return (await showStepUp()) && !isLeft();
  if (code !== "sign_in_required") return false;
  return (await signInAgain({ pressed: method !== "GET" })) && !isLeft();
}

const backoffsMs = [400, 1_500];

async function sendWithRetries(sent: SentRequest): Promise<Response> {
  for (const backoffMs of [...backoffsMs, null]) {
    const response = await once(sent).catch((error: unknown) => {
      if (sent.signal?.aborted || !(error instanceof TypeError)) throw error;
      return null;
    });
    if (response && !isTemporary(response.status)) return response;
    if (backoffMs === null) return response ?? unreachable();
    await new Promise((resolve) => setTimeout(resolve, backoffMs));
  }
  return unreachable();
}

/** Returns whether a proxy or an overloaded service sent this status, so that a retry may succeed. */
function isTemporary(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

function unreachable(): never {
  throw new ApiProblem(0, null);
}

/**
 * Resolves in another task. A page starts a dozen reads when it is shown, and each call of `fetch` takes milliseconds.
 * In one task, these calls would block a phone for a tenth of a second.
 */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

async function once({ method, path, headers, body, key, signal }: SentRequest): Promise<Response> {
  if (method === "GET") await nextTask();
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
  // Read the whole body here, so that a truncated response counts as lost.
  const responseBody = await response.arrayBuffer();
  return new Response(responseBody.byteLength > 0 ? responseBody : null, response);
}

/**
 * The idle time after which requests are marked as background reads. Background reads do not count as activity, so
 * automatic refreshes do not keep an idle person's session open.
 */
const idleAfterMs = 60_000;

let lastInputAt = performance.now();

for (const event of ["pointerdown", "keydown", "wheel", "touchstart"]) {
  addEventListener(event, () => (lastInputAt = performance.now()), {
    passive: true,
    capture: true,
  });
}

function isIdle(): boolean {
  return performance.now() - lastInputAt > idleAfterMs;
}
