/**
 * The channel on which the challenge document signals a change to the card form, which has the same origin and runs in
 * the same browser. The signal needs no verification, because it has no content and only makes the form read the
 * session from the service.
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
