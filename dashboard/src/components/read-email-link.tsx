import type { EmailLink } from "@florin/contract/person.ts";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { auth } from "../api/auth.ts";
import type { ApiProblem } from "../api/problem.ts";
import { LoadError } from "./load-error.tsx";
import { Skeleton } from "./skeleton.tsx";

/**
 * Reads the purpose of an emailed link and passes it to `children`. Shows the reason if the link is invalid. Reading
 * does not consume the link.
 */
export function ReadEmailLink({
  token,
  purpose,
  children,
}: {
  token: string;
  purpose: EmailLink["purpose"];
  children: (link: EmailLink) => ReactNode;
}) {
  const link = useQuery<EmailLink, ApiProblem>({
    queryKey: ["link", token],
    queryFn: () => auth.post<EmailLink>("/links/read", { token }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (link.error) return <LoadError problem={link.error} />;
  if (!link.data) return <Skeleton />;
  if (link.data.purpose !== purpose)
    return <p>This link is for a different page. Open the link in your latest email again.</p>;
  return children(link.data);
}
