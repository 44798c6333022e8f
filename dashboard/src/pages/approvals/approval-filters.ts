import type { ApprovalMetrics } from "@florin/contract/approval-metrics.ts";
import { declineCodes } from "@florin/contract/declines.ts";
import { inWords } from "../../components/badge.tsx";
import { brandName, cardNetworks } from "../../components/brand-name.ts";
import { choiceFilter, type Filter, textFilter } from "../../components/filter.ts";
import { connectionNames } from "./connection-name.ts";

/** Returns the filters of the page, which correspond to the parameters of `GET /metrics/approvals`. */
export function approvalFilters(connections: ApprovalMetrics["connections"]): readonly Filter[] {
  return [
    choiceFilter("connection", "Connection", [...connectionNames(connections)], { single: true }),
    choiceFilter(
      "network",
      "Card network",
      cardNetworks.map((network) => [network, brandName(network)]),
      { single: true },
    ),
    textFilter("country", "Issuing country", "Two letters, such as DE.", (text) =>
      /^[A-Z]{2}$/.test(text) ? null : "Enter two capital letters, such as DE.",
    ),
    choiceFilter(
      "decline_code",
      "Decline reason",
      Object.keys(declineCodes).map((code) => [code, inWords(code)]),
      { single: true },
    ),
  ];
}
