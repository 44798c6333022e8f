/**
 * The signal from the challenge document to the card form, which is a same-origin document in the same browser. It
 * needs no verification, because it has no content: it only makes the form read the session from the service.
 */
const channelName = "florin-challenge";

export function signalChallengeChange(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("changed");
  channel.close();
}

/** Runs the callback whenever a challenge document signals a change. Returns a function that unsubscribes. */
export function onChallengeChange(run: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = () => run();
  return () => channel.close();
}
