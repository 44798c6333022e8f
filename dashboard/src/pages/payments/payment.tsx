import type { Charge } from "@florin/contract/charge.ts";
import { useParams } from "@tanstack/react-router";
import { useObject } from "../../api/use-object.ts";
import { Page } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";

export function PaymentPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error } = useObject<Charge>(`/charges/${id}`);
  return (
    <Page
      title={data ? String(data.amount) : "Payment"}
      back={{ to: "/payments", label: "Payments" }}
    >
      {error && <Problem problem={error} />}
    </Page>
  );
}
