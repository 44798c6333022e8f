import type { Connection } from "@florin/contract/operator-connections.ts";
import { acquirerTexts, inSentence } from "./acquirer-texts.ts";

/** The steps before the activation of a connection, and whether each is done. */
export type SetupSteps = {
  readonly hasSecrets: boolean;
  readonly isTested: boolean;
  readonly hasNotification: boolean;
};

export function setupSteps({ secrets, test, notification }: Connection): SetupSteps {
  return {
    hasSecrets: secrets.version > 0,
    isTested:
      secrets.version > 0 && test.secrets_version === secrets.version && test.problem === null,
    hasNotification: notification?.secrets_version === secrets.version,
  };
}

/** Returns a message for each step that must still be done before the connection can be activated. */
export function missingSteps(connection: Connection): string[] {
  const { apiKeyLabel, hmacKeyLabel } = acquirerTexts[connection.processor];
  const keys = `the ${inSentence(apiKeyLabel)} and the ${inSentence(hmacKeyLabel)}`;
  const { hasSecrets, isTested, hasNotification } = setupSteps(connection);
  return [
    ...(hasSecrets ? [] : [`Store ${keys} first.`]),
    ...(isTested ? [] : ["Test the connection with its current secrets first."]),
    ...(hasNotification ? [] : ["Send a test notification from the acquirer’s console first."]),
  ];
}
