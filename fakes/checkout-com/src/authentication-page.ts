import type { IncomingMessage, ServerResponse } from "node:http";
import { sendAuthenticationPage } from "@florin/shared-fake/authentication-page.ts";
import { decimalText } from "./amount.ts";
import { completeAuthentication, redirectedPayment } from "./authenticate-cardholder.ts";
import type { Platform } from "./platform.ts";

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
    const { card, amount, currency } = payment;
    sendAuthenticationPage(response, {
      acquirer: "Checkout.com",
      last4: card.last4,
      amount: `${decimalText(amount, currency)} ${currency}`,
    });
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
