// The merchant's complete code for "Pay here": mounts the form, and opens the order when the payment is complete.
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
    // Informs the customer. It does not prove the payment: the order page still waits for the webhook.
    onComplete: () => location.assign(`${orderUrl}?from=success`),
    onCanceled: () => location.assign(`${orderUrl}?from=cancel`),
    onExpired: () => location.assign(orderUrl),
    // The form itself shows a decline, and the customer can correct the card there. This handles all other errors.
    onError: ({ message }) => show(message),
  });
} else {
  show("The card form could not be loaded. Check your connection and your content blocker.");
}
