/** An option of a select field or a filter. */
export type SelectOption = readonly [value: string, label: string];
