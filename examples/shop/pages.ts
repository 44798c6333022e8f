import { currency, products } from "./catalog.ts";
import { type Html, html } from "./html.ts";
import { countOf, linesOf, type Order, orderNumber, totalOf } from "./order.ts";
import type { ReceivedWebhook } from "./order-store.ts";
import { gradients, picture } from "./pictures.ts";

const priceFormat = new Intl.NumberFormat("en-US", { style: "currency", currency });

function price(cents: number): string {
  return priceFormat.format(cents / 100);
}

type Layout = { title: string; cart?: Order | undefined; head?: Html; body: Html };

export function page({ title, cart, head = html``, body }: Layout): string {
  const count = cart?.status === "cart" ? countOf(cart) : 0;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Fieldware</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shop.css">
${head}
</head>
<body>
${gradients}
<header class="masthead">
  <a class="name" href="/">Fieldware</a>
  <nav><a href="/webhooks">Webhooks</a><a class="bag" href="/cart">Bag ${count > 0 && html`<span class="count">${count}<span class="unseen"> pieces</span></span>`}</a></nav>
</header>
<main>${body}</main>
<footer><p>Stoneware from a small kiln. Demo shop: nothing is for sale, and no card is charged.</p></footer>
</body>
</html>`.text;
}

export function catalogPage(cart: Order | undefined): string {
  return page({
    title: "Stoneware from a small kiln",
    cart,
    body: html`
      <section class="opening">
        <h1>Made slowly,<br>used daily.</h1>
        <p>Six pieces, thrown by hand and fired twice. When they are gone, we make the next ones.</p>
      </section>
      <ul class="shelf">${products.map(
        ({ id, name, description, price: cents }) => html`
        <li class="piece">
          ${picture(id)}
          <div class="label"><h2>${name}</h2><p class="price">${price(cents)}</p></div>
          <p class="description">${description}</p>
          <form method="post" action="/cart/add"><button class="quiet" name="product" value="${id}">Add to bag<span class="unseen">: ${name}</span></button></form>
        </li>`,
      )}</ul>`,
  });
}

export function cartPage(cart: Order | undefined, isTest: boolean): string {
  if (cart?.status !== "cart" || countOf(cart) === 0) {
    return page({
      title: "Your bag",
      cart,
      body: html`<section class="narrow"><h1>Your bag is empty</h1><p><a class="button" href="/">Browse the pieces</a></p></section>`,
    });
  }
  return page({
    title: "Your bag",
    cart,
    body: html`
      <h1>Your bag</h1>
      <div class="columns">
        <section aria-label="Pieces">
          <ul class="lines">${linesOf(cart).map(
            (line) => html`
            <li>
              ${picture(line.id)}
              <div><h2>${line.name}</h2><p class="description">${price(line.amount)} each</p>${stepper(line)}</div>
              <p class="price">${price(line.amount * line.quantity)}</p>
            </li>`,
          )}</ul>
        </section>
        <section class="card" aria-label="Checkout">
          <dl class="sum"><div><dt>Pieces</dt><dd>${price(totalOf(cart))}</dd></div><div><dt>Shipping</dt><dd>Free</dd></div><div class="total"><dt>Total</dt><dd>${price(totalOf(cart))}</dd></div></dl>
          ${waysToPay(cart)}
          ${isTest && testCards()}
        </section>
      </div>`,
  });
}

function stepper({ id, name, quantity }: { id: string; name: string; quantity: number }): Html {
  return html`<form class="stepper" method="post" action="/cart/change"><input type="hidden" name="product" value="${id}">
    <button name="quantity" value="${quantity - 1}" aria-label="Remove one ${name}">−</button><span>${quantity}</span><button name="quantity" value="${quantity + 1}" aria-label="Add one ${name}">+</button></form>`;
}

/**
 * Shows both ways to pay. The same session can be opened as a page on Florin's origin or in a frame on the shop's page.
 */
function waysToPay(order: Order): Html {
  return html`<form class="ways" method="post" action="/orders/${order.id}/checkout">
    <button class="button" name="way" value="here">Pay here</button>
    <button class="button quiet" name="way" value="page">Pay on Florin’s page</button>
  </form>`;
}

const cardsToTry = [
  ["4242 4242 4242 4242", "Succeeds"],
  ["4000 0000 0000 9995", "Declined: insufficient funds"],
  ["4000 0000 0000 0002", "Declined: generic"],
  ["4000 0027 6000 3184", "Requires 3-D Secure"],
] as const;

function testCards(): Html {
  return html`<details class="test-cards" open><summary>Test cards</summary>
    <ul>${cardsToTry.map(([number, outcome]) => html`<li><code>${number}</code><span>${outcome}</span></li>`)}</ul>
    <p>Use any future expiry date, any three-digit security code and any name. Real cards are declined.</p></details>`;
}

export function payPage(
  order: Order,
  florinUrl: string,
  embedUrl: string,
  isTest: boolean,
): string {
  return page({
    title: "Pay",
    head: html`<script src="${florinUrl}/embed.js" defer></script><script src="/pay.js" defer></script>`,
    body: html`
      <h1>Pay ${price(totalOf(order))}</h1>
      <div class="columns">
        <section class="card" aria-label="Card">
          <div id="pay" data-embed-url="${embedUrl}" data-order-url="/orders/${order.id}"></div>
          <p id="pay-problem" class="notice" role="alert" hidden></p>
          <noscript><p class="notice">Paying on this page requires JavaScript. <a href="${embedUrl}">Pay on Florin’s page</a> instead.</p></noscript>
        </section>
        <section aria-label="Order">
          ${summary(order)}
          <p class="aside">Florin serves the card form in a frame. This page never receives the card number. <a href="${embedUrl}">Open the form on Florin’s page</a></p>
          ${isTest && testCards()}
          <p><a href="/orders/${order.id}">Back to the order</a></p>
        </section>
      </div>`,
  });
}

function summary(order: Order): Html {
  return html`<ul class="lines small">${linesOf(order).map(
    (line) =>
      html`<li>${picture(line.id)}<div><h2>${line.name}</h2><p class="description">${line.quantity} × ${price(line.amount)}</p></div><p class="price">${price(line.amount * line.quantity)}</p></li>`,
  )}</ul><dl class="sum"><div class="total"><dt>Total</dt><dd>${price(totalOf(order))}</dd></div></dl>`;
}

/** The return URL that the customer's browser opened. The URL changes only the text of the page, never the order. */
export type ReturnedFrom = "success" | "cancel" | null;

export function orderPage(
  order: Order,
  received: ReceivedWebhook[],
  from: ReturnedFrom,
  dashboard: Dashboard,
): string {
  return page({
    title: `Order ${orderNumber(order)}`,
    head: html`<script src="/live.js" defer></script><noscript><meta http-equiv="refresh" content="4"></noscript>`,
    body: html`
      <div class="columns">
        <section class="card" id="status" data-live="status" aria-live="polite">${orderStatus(order, from, dashboard)}</section>
        <section aria-label="Order"><h2 class="heading">Order ${orderNumber(order)}</h2>${summary(order)}</section>
      </div>
      ${webhookPanel("Webhooks for this order", received)}`,
  });
}

/**
 * The URL of Florin's dashboard, where the merchant finds the payment. Null in live mode, because customers see this
 * page.
 */
export type Dashboard = { readonly florinUrl: string } | null;

export function orderStatus(order: Order, from: ReturnedFrom, dashboard: Dashboard): Html {
  if (order.status === "paid" && order.payment) {
    return html`<p class="state paid">Paid</p><h1>Thank you.</h1>
      <p>${price(totalOf(order))}, ${order.payment.card}. Your order ships tomorrow.</p>
      <p class="aside">The order was marked paid when Florin’s signed webhook arrived for charge <code>${order.payment.chargeId}</code>.${dashboard && dashboardLink(order.payment, dashboard)}</p>
      <p><a class="button quiet" href="/">Continue shopping</a></p>`;
  }
  if (order.decline) {
    // Shows Florin's message for customers instead of the decline code, which could reveal to a thief that the card was
    // reported stolen.
    return html`<p class="state declined">Payment declined</p><h1>Your card was declined</h1>
      <p>${order.decline.message}</p><p class="aside">You were not charged, and your order stays open.</p>
      ${waysToPay(order)}${changeBag(order)}`;
  }
  if (from === "success") {
    return html`<p class="state waiting">Waiting for payment</p><h1>Confirming your payment</h1>
      <p>The order is marked paid when Florin’s signed webhook arrives. This page updates automatically.</p>`;
  }
  return html`<p class="state waiting">Waiting for payment</p>
    <h1>${from === "cancel" ? "Payment canceled" : "Complete your payment"}</h1>
    <p>${from === "cancel" ? "You were not charged, and your order is saved." : "This page updates automatically when the payment is confirmed."}</p>
    ${waysToPay(order)}${changeBag(order)}`;
}

function dashboardLink(
  { account, chargeId }: NonNullable<Order["payment"]>,
  { florinUrl }: NonNullable<Dashboard>,
): Html {
  const url = `${florinUrl}/dashboard/${account}/test/payments/${chargeId}`;
  return html` <a href="${url}" target="_blank" rel="noreferrer">View the payment in the dashboard</a>`;
}

function changeBag(order: Order): Html {
  return html`<form method="post" action="/orders/${order.id}/reopen"><button class="link">Edit bag</button></form>`;
}

export function webhooksPage(received: ReceivedWebhook[], cart: Order | undefined): string {
  return page({
    title: "Webhooks",
    cart,
    head: html`<script src="/live.js" defer></script>`,
    body: html`<h1>Webhooks</h1><p class="lead">The webhooks that this shop received, newest first, with their effect. Rejected deliveries are included.</p>${webhookPanel("Received webhooks", received)}`,
  });
}

function webhookPanel(title: string, received: ReceivedWebhook[]): Html {
  return html`<section class="webhooks"><h2 class="heading">${title}</h2><div data-live="webhooks">${webhookList(received)}</div></section>`;
}

export function webhookList(received: ReceivedWebhook[]): Html {
  if (received.length === 0)
    return html`<p class="aside">No webhooks yet. They appear here as they arrive.</p>`;
  return html`<ol>${received.map(
    ({ at, event, effect }) => html`
    <li>${
      event
        ? html`<details data-key="${event.id} ${at}"><summary class="row">${webhookRow(at, event.type, effect)}</summary><pre tabindex="0">${JSON.stringify(event, null, 2)}</pre></details>`
        : html`<p class="row rejected">${webhookRow(at, "rejected", effect)}</p>`
    }</li>`,
  )}</ol>`;
}

function webhookRow(at: number, type: string, effect: string): Html {
  const time = new Date(at).toISOString();
  return html`<time datetime="${time}">${time.slice(11, 19)}</time><code>${type}</code><span>${effect}</span>`;
}

export function messagePage(title: string, text: string, more: Html = html``): string {
  return page({
    title,
    body: html`<section class="narrow"><h1>${title}</h1><p>${text}</p>${more}<p><a class="button" href="/cart">Back to bag</a></p></section>`,
  });
}
