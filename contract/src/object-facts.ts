import Type from "typebox";
import { type IdPrefix, id, idPrefixes } from "./ids.ts";

/** The first fields of every object. */
export function objectFacts<Prefix extends IdPrefix, Name extends string>(
  prefix: Prefix,
  object: Name,
) {
  return {
    id: id(prefix, `The ${idPrefixes[prefix]}'s id. Ids sort by the time of creation.`),
    object: Type.Literal(object, { description: `Always \`${object}\`.` }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    created: unixTime("When it was created"),
  };
}

export function unixTime(description: string) {
  return Type.Integer({ minimum: 0, description: `${description}, in unix seconds.` });
}

/** A version that increases with every change of an object, so that a client can ignore a stale event. */
export function version() {
  return Type.Integer({
    minimum: 1,
    description:
      "Grows with every change. Of two copies, the one with the higher version is newer.",
  });
}
