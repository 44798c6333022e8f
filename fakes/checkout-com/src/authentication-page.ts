import type { IncomingMessage, ServerResponse } from "node:http";
import { completeAuthentication, redirectedPayment } from "./authenticate-cardholder.ts";
import type { Platform } from "./platform.ts";
import type { Payment } from "./records.ts";

/** The path of the page on which the cardholder authenticates. The session ID is appended. */
export const authenticationPath = "/3ds/";

/** Shows the page on which the cardholder authenticates, and redirects the cardholder after the choice. */
export function serveAuthentication(
  platform: Platform,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  body: Buffer,
): void {
  const payment = redirectedPayment(platform, path.slice(authenticationPath.length));
  if (payment === null) {
    response.writeHead(404, { "content-type": "text/plain" }).end("Not found\n");
    return;
  }
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/html" }).end(page(payment));
    return;
  }
  const choice = new URLSearchParams(body.toString("utf8")).get("outcome");
  if (choice !== "authenticate" && choice !== "fail") {
    response.writeHead(400).end();
    return;
  }
  const location = completeAuthentication(platform, payment, choice === "authenticate");
  platform.dispatchCaused();
  response.writeHead(302, { location }).end();
}

function page({ card, amount, currency }: Payment): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>3D Secure test page</title>
<h1>Authenticate the payment</h1>
<p>Card ending in ${card.last4}. Amount in minor units: ${amount} ${currency}.</p>
<form method="post">
<button name="outcome" value="authenticate">Authenticate</button>
<button name="outcome" value="fail">Fail</button>
</form>
</html>
`;
}
