/** Decorative icons in the text color. The text beside an icon carries the same information. */
export function Icon({ name }: { name: keyof typeof strokes }) {
  return (
    <svg
      class="glyph"
      viewBox="0 0 24 24"
      width="24"
      height="24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={strokes[name]} />
    </svg>
  );
}

const strokes = {
  check: "M5 12.500l4.5 4.500L19 7.5",
  clock: "M12 7.500V12l3 2M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z",
  cross: "M7 7l10 10M17 7L7 17",
  alert: "M12 7.500v5.500M12 16.500v.01M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z",
  lock: "M7.5 11V8a4.5 4.5 0 0 1 9 0v3M6.5 11h11a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1Z",
  back: "M14.5 6l-6 6 6 6",
  cvc: "M3.5 6.500h17a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-17a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1ZM2.5 10h19M14 14h4",
  bank: "M4 10l8-5.500L20 10M5.5 10v8M10 10v8M14 10v8M18.5 10v8M3.5 19.500h17",
};
