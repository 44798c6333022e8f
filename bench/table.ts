/**
 * Formats text in columns: the first column is aligned left and the others right, so that the digits of figures line
 * up.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column] ?? "")].map((cell) => cell.length)),
  );
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? "";
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  const rule = "─".repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [line(header), rule, ...rows.map(line)].join("\n");
}

/** Formats a number as `12,345`, or a missing value as `–`. */
export function whole(value: number | null): string {
  return value === null || Number.isNaN(value) ? "–" : Math.round(value).toLocaleString("en-US");
}

/** Formats milliseconds with one decimal, or a missing value as `–`. */
export function oneDecimal(value: number | null): string {
  return value === null || Number.isNaN(value) ? "–" : value.toFixed(1);
}
