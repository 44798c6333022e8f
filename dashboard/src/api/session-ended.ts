/** Opens the sign-in page, which returns to the current page after sign-in. */
export function sessionEnded(): void {
  const { pathname, search } = location;
  if (pathname.startsWith("/dashboard/sign-in")) return;
  location.assign(`/dashboard/sign-in?${new URLSearchParams({ next: pathname + search })}`);
}
