/** The surface of the card form: a page of our own after a redirect, or a frame in the shop's page. */
export type Surface = "page" | "frame";
