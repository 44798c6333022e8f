// All of the merchant's code for "Pay here": mounts the form, and opens the order's page when the payment is complete.
const element = document.getElementById("pay");
const problem = document.getElementById("pay-problem");
const { embedUrl, orderUrl } = element.dataset;

function showProblem(text) {
  problem.textContent = `${text} `;
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
    // Opens the order's page. This does not confirm the payment: the page waits for the webhook. `replace` removes this
    // page from the browser's history, because the form of an ended session calls these functions again.
    onComplete: () => location.replace(`${orderUrl}?from=success`),
    onCanceled: () => location.replace(`${orderUrl}?from=cancel`),
    onExpired: () => location.replace(orderUrl),
    // Called for every error except a decline. The form itself shows declines, and the customer can correct the card.
    onError: ({ message }) => showProblem(message),
  });
} else {
  showProblem("The card form could not be loaded. Check your connection and your content blocker.");
}
