import { PlainPage } from "./plain-page.tsx";

export function NotFound() {
  return (
    <PlainPage title="Not found" lead="There is no page at this address.">
      <a href="/dashboard" className="link">
        To the start
      </a>
    </PlainPage>
  );
}
