import { useEffect, useState } from "react";

/**
 * Returns the time in Unix seconds. Updates every half minute, so that a countdown is correct to the minute. It also
 * suits times of test mode: advancing the test clock moves the due times, not the time of the service.
 */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
