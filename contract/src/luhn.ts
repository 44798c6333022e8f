/**
 * Returns whether the check digit is valid (ISO/IEC 7812-1, annex B). It detects any single mistyped digit and most
 * swaps of adjacent digits.
 */
export function passesLuhn(digits: string): boolean {
  return luhnSum(digits, 0) % 10 === 0;
}

/** Returns the check digit to append to `digits`. */
export function luhnCheckDigit(digits: string): string {
  return String((10 - (luhnSum(digits, 1) % 10)) % 10);
}

/**
 * Returns the sum of the digits. Every second digit from the right is doubled, and the two digits of a doubled value
 * are added.
 */
function luhnSum(digits: string, placesToTheRight: number): number {
  let sum = 0;
  let place = placesToTheRight;
  for (let index = digits.length - 1; index >= 0; index--, place++) {
    const digit = digits.charCodeAt(index) - 48;
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum;
}
