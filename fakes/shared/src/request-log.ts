/** The maximum number of recorded requests. Older requests are removed. */
const maxRequests = 20_000;

/** The newest requests to the API, including repeated and rejected ones. */
export class RequestLog<Request> {
  readonly #requests: Request[] = [];

  record(request: Request): void {
    this.#requests.push(request);
    if (this.#requests.length > 2 * maxRequests) this.#requests.splice(0, maxRequests);
  }

  /** Returns the newest requests since the start of the process, oldest first. */
  newest(): readonly Request[] {
    return this.#requests.slice(-maxRequests);
  }
}
