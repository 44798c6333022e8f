/** Signed out, here or elsewhere: to the sign-in page, and back to where the person was. */
export function sessionEnded(): void {
  const { pathname, search } = location;
  if (pathname.startsWith("/dashboard/sign-in")) return;
  location.assign(`/dashboard/sign-in?${new URLSearchParams({ next: pathname + search })}`);
}
