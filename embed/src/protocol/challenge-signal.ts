/**
 * The signal from the challenge document to the card form, another document of the same origin in the same browser. It
 * has no content, so it needs no verification: it makes the form read the session, and only the service knows the
 * outcome.
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
