import { WrongSetting } from "@florin/server/config.ts";

/**
 * Parses the value of an option that is a number of seconds. The maximum prevents values that a timer or an interval of
 * Postgres cannot represent.
 */
export function readSeconds(option: string, text: string, max: number): number {
  const seconds = Number(text);
  if (/^[0-9]+(\.[0-9]+)?$/.test(text) && seconds <= max) return seconds;
  throw new WrongSetting(`${option} must be a number of seconds from 0 to ${max}. Got '${text}'.`);
}
