import { useQuery } from "@tanstack/react-query";
import { auth } from "./auth.ts";

/** Returns whether sent emails can be viewed, which only a demo without a mail server allows. */
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
