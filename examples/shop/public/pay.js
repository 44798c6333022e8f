// The merchant's whole part of "Pay here": mount the form, and go to the order when it says it is done.
const element = document.getElementById("pay");
const problem = document.getElementById("pay-problem");
const { embedUrl, orderUrl } = element.dataset;

function show(words) {
  problem.textContent = `${words} `;
  const link = document.createElement("a");
  link.href = embedUrl;
  link.textContent = "Pay on Florin’s page instead";
  problem.append(link);
  problem.hidden = false;
}

if (window.Florin) {
  window.Florin.mount(element, {
    embedUrl,
    onReady: () => {
      problem.hidden = true;
    },
    // News for the customer, not proof for the shop: the order page still waits for the webhook.
    onComplete: () => location.assign(`${orderUrl}?from=success`),
    onCanceled: () => location.assign(`${orderUrl}?from=cancel`),
    onExpired: () => location.assign(orderUrl),
    // A decline is shown by the form itself, where the customer can correct it; this is for the rest.
    onError: ({ message }) => show(message),
  });
} else {
  show("The card form could not be loaded: a content blocker, or the connection.");
}
