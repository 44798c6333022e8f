/** Opens the sign-in page after the session ended, with a way back to the current page. */
export function sessionEnded(): void {
  const { pathname, search } = location;
  if (pathname.startsWith("/dashboard/sign-in")) return;
  location.assign(`/dashboard/sign-in?${new URLSearchParams({ next: pathname + search })}`);
}
