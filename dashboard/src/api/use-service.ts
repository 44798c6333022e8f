import type { ServiceObject } from "@florin/contract/person.ts";
import { useQuery } from "@tanstack/react-query";
import { auth } from "./auth.ts";
import type { ApiProblem } from "./problem.ts";

/** Reads the properties of the service once per page load, because they change only when the service restarts. */
export function useService(): ServiceObject | undefined {
  const { data } = useQuery<ServiceObject, ApiProblem>({
    queryKey: ["service"],
    queryFn: () => auth.get<ServiceObject>("/service"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
