/** The labels that differ from the result of `inWords`. */
const labels: Readonly<Record<string, string>> = {
  given_up: "Failed",
  missing_here: "Missing in Florin",
};

const acronyms: ReadonlySet<string> = new Set(["cvc", "dns", "id", "ip", "pin", "tls", "zip"]);

/** Returns the label of a status or a kind of difference. It is the same in badges, tables and filters. */
export function statusLabel(name: string): string {
  return labels[name] ?? inWords(name);
}

/** Returns an API name as readable text: `incorrect_cvc` → `Incorrect CVC`. */
export function inWords(name: string): string {
  const words = name
    .split("_")
    .map((word) => (acronyms.has(word) ? word.toUpperCase() : word))
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
