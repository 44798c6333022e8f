/** Where the card form stands: on a page of our own that the customer was sent to, or framed by the shop's page. */
export type Surface = "page" | "frame";
