/** The labels that are not the readable form of the status's name. */
const labels: Readonly<Record<string, string>> = { given_up: "Failed" };

/** Returns the label of a status, which is the same in badges and in filters. */
export function statusLabel(status: string): string {
  return labels[status] ?? inWords(status);
}

/** Returns an API name as readable text: `requires_action` → `Requires action`. */
export function inWords(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
