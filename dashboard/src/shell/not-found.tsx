import { PlainPage } from "./plain-page.tsx";

export function NotFound() {
  return (
    <PlainPage title="Page not found" lead="This page does not exist or has moved.">
      <a href="/dashboard" className="link">
        Go to the dashboard
      </a>
    </PlainPage>
  );
}
