/** The labels that are not the readable form of the status's name. */
const labels: Readonly<Record<string, string>> = { given_up: "Failed" };

const acronyms: ReadonlySet<string> = new Set(["cvc", "dns", "id", "ip", "pin", "tls", "zip"]);

/** Returns the label of a status, which is the same in badges and in filters. */
export function statusLabel(status: string): string {
  return labels[status] ?? inWords(status);
}

/** Returns an API name as readable text: `incorrect_cvc` → `Incorrect CVC`. */
export function inWords(name: string): string {
  const words = name
    .split("_")
    .map((word) => (acronyms.has(word) ? word.toUpperCase() : word))
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
