/** The check digit of every card number (ISO/IEC 7812-1, annex B): catches a mistyped or swapped digit. */
export function passesLuhn(digits: string): boolean {
  return luhnSum(digits, 0) % 10 === 0;
}

/** The digit that makes `digits` followed by it pass. */
export function luhnCheckDigit(digits: string): string {
  return String((10 - (luhnSum(digits, 1) % 10)) % 10);
}

/** From the right every second digit counts double, and the digits of a double count singly. */
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
