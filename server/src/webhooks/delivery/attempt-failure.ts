import type { AttemptFailureCode } from "@florin/contract/webhook-endpoint.ts";

/** The reason why an attempt failed: a code for programs and a sentence for the merchant's developer. */
export type AttemptFailure = { readonly code: AttemptFailureCode; readonly message: string };

/** The failures of deliveries that end without a request, because the endpoint was deleted or disabled. */
export const endpointDeleted: AttemptFailure = {
  code: "endpoint_deleted",
  message: "The endpoint was deleted before the event was sent.",
};

export const endpointDisabled: AttemptFailure = {
  code: "endpoint_disabled",
  message: "The endpoint is disabled. Enable the endpoint, then resend the missed events.",
};

/** Explains a response outside 2xx and what to do about it. */
export function explainStatus(status: number): AttemptFailure {
  if (status >= 300 && status <= 399) {
    return {
      code: "redirect",
      message: `The endpoint returned status ${status}. Redirects are not followed. Set the endpoint's URL to the final one.`,
    };
  }
  return { code: "status", message: `The endpoint returned status ${status}${hintFor(status)}` };
}

function hintFor(status: number): string {
  switch (status) {
    case 400:
      return ". If your handler rejected the signature, check that it verifies the raw body with this endpoint's secret.";
    case 401:
    case 403:
      return ". A login, a firewall or a CSRF check in front of your handler may have rejected the request.";
    case 404:
    case 405:
      return ". The path of the endpoint's URL has no handler for POST. Correct the URL, or add the handler.";
    case 410:
      return ", which disables the endpoint. To receive events again, enable the endpoint.";
    default:
      return ". Only a status from 200 to 299 confirms the event.";
  }
}

/** Explains a failed connection or an unreadable response. */
export function explainFailure(error: Error, url: URL): AttemptFailure {
  if (error instanceof AttemptFailed) return error.failure;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const failed = (as: AttemptFailureCode, message: string): AttemptFailure => ({
    code: as,
    message,
  });
  switch (code) {
    case "ECONNREFUSED":
      return failed(
        "connection_refused",
        `${url.host} refused the connection. Check that your server is running and listens on this port.`,
      );
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EADDRNOTAVAIL":
      return failed(
        "connection_refused",
        `${url.host} cannot be reached (${code}). Check the endpoint's URL and the network of your server.`,
      );
    case "UND_ERR_CONNECT_TIMEOUT":
    case "ETIMEDOUT":
      return failed(
        "connect_timeout",
        `${url.host} did not accept a connection within 3 s. Check that your server is running and that no firewall blocks the connection.`,
      );
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return failed(
        "connection_lost",
        `${url.host} closed the connection before the response was complete. Check your handler and any proxy in front of it.`,
      );
    case "UND_ERR_HEADERS_OVERFLOW":
      return failed(
        "headers_too_large",
        `${url.host} returned more than 16 KiB of headers. Return fewer headers.`,
      );
    default:
      return explainOther(error, code, url);
  }
}

function explainOther(error: Error, code: string, url: URL): AttemptFailure {
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_)/.test(code)) {
    return {
      code: "tls_failed",
      message: `The TLS connection to ${url.host} failed: ${error.message}`.slice(0, 300),
    };
  }
  if (error.name === "HTTPParserError" || /^(HPE_|UND_ERR_(RES|INFO|NOT_SUPPORTED))/.test(code)) {
    return {
      code: "not_http",
      message: `The response from ${url.host} is not HTTP: ${error.message}`.slice(0, 300),
    };
  }
  return { code: "other", message: error.message.slice(0, 300) };
}

/** An error that carries its `AttemptFailure`. */
export class AttemptFailed extends Error {
  override name = "AttemptFailed";
  readonly failure: AttemptFailure;

  constructor(failure: AttemptFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
