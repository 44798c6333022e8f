const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Returns the time left in its two largest units, rounded down: "2 days 5 hours left". */
export function timeLeft(seconds: number): string {
  if (seconds <= 0) return "Overdue";
  if (seconds < 60) return "Less than a minute left";
  const first = units.findIndex(([, length]) => seconds >= length);
  let rest = seconds;
  const parts = units.slice(first, first + 2).flatMap(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];
  });
  return `${parts.join(" ")} left`;
}
