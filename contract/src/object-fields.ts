import Type from "typebox";
import { type IdPrefix, id, idPrefixes } from "./ids.ts";

/** The first fields of every object. */
export function objectFields<Prefix extends IdPrefix, Name extends string>(
  prefix: Prefix,
  object: Name,
) {
  return {
    id: id(prefix, `ID of the ${idPrefixes[prefix]}. IDs sort by time of creation.`),
    object: Type.Literal(object, { description: `Always \`${object}\`.` }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    created: unixTime("Time of creation"),
  };
}

/** A time in Unix seconds. `remark` is a sentence that follows the description. */
export function unixTime(description: string, remark?: string) {
  const text = `${description}, in Unix seconds.`;
  return Type.Integer({ minimum: 0, description: remark ? `${text} ${remark}` : text });
}

/** A version that increases with every change of an object, so that a client can ignore a stale event. */
export function version() {
  return Type.Integer({
    minimum: 1,
    description:
      "Number that increases with every change. Of two copies, the copy with the higher version is newer.",
  });
}
