import { useEffect, useState } from "react";

/**
 * Returns the time in Unix seconds. Updates every half minute, so that a countdown is correct to the minute. The time
 * is also correct for test mode, because advancing the test clock changes due times and not the service's time.
 */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
