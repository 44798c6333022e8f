/**
 * The word that the challenge document may give the card form, which is another document of the same origin in the same
 * tab: "look again". It carries nothing, so it can be believed without harm: whoever says it makes the form ask the service,
 * and only the service knows how the check went.
 */
const channelName = "florin-challenge";

export function tellChallengeMoved(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("look again");
  channel.close();
}

/** Calls back whenever a challenge of this browser says that it moved; returns how to stop. */
export function onChallengeMoved(run: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = () => run();
  return () => channel.close();
}
