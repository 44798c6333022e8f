import { useQuery } from "@tanstack/react-query";
import { auth } from "./auth.ts";

/** Only a demo without a mail server has an outbox to look into. */
export function useOutboxIsThere(): boolean {
  const { data } = useQuery({
    queryKey: ["outbox", "there"],
    queryFn: () =>
      auth.get("/outbox").then(
        () => true,
        () => false,
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? false;
}
