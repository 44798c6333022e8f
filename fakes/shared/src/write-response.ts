import type { ServerResponse } from "node:http";
import type { InjectedFault } from "./injected-faults.ts";

export type FakeResponse = {
  readonly status: number;
  /** The text of the body. An empty text is a response without a body. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

const badGateway = `<html>
<head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center></body>
</html>
`;

/** Writes the response with the effect of a fault. Writes nothing if the fault cuts the connection. */
export function writeResponse(
  response: ServerResponse,
  { status, body, headers }: FakeResponse,
  fault: InjectedFault | null,
): void {
  if (fault?.fault === "cut_before_response") {
    response.socket?.destroy();
    return;
  }
  if (fault?.fault === "html_502") {
    response.writeHead(502, { "content-type": "text/html" }).end(badGateway);
    return;
  }
  const length = body === "" ? null : { "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...length, ...headers });
  if (fault?.fault === "cut_in_body") {
    response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
  } else {
    response.end(body === "" ? undefined : body);
  }
}
