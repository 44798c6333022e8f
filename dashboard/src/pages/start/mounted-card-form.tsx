import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Notice } from "../../components/notice.tsx";
import { type CardForm, loadCardForm } from "./load-card-form.ts";

type Props = {
  readonly embedUrl: string;
  readonly tokens: Readonly<Record<string, string>>;
};

/** The card form, mounted with `/embed.js` as in a shop. */
export function MountedCardForm({ embedUrl, tokens }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const form = useRef<CardForm | null>(null);
  const first = useRef(tokens);
  const [fault, setFault] = useState<string | null>(null);
  const [paid, setPaid] = useState(false);
  const client = useQueryClient();

  useEffect(() => {
    let gone = false;
    loadCardForm().then(
      (mount) => {
        if (gone || !container.current) return;
        form.current = mount(container.current, {
          embedUrl,
          appearance: first.current,
          onComplete: () => {
            setPaid(true);
            void client.invalidateQueries();
          },
          onError: ({ message }) => setFault(message),
        });
      },
      (error: Error) => setFault(error.message),
    );
    return () => {
      gone = true;
      form.current?.destroy();
      form.current = null;
    };
  }, [embedUrl, client]);

  useEffect(() => {
    setFault(null);
    form.current?.update({ appearance: tokens });
  }, [tokens]);

  return (
    <div className="grid min-w-0 gap-4">
      {paid && <Notice tone="positive">Payment succeeded.</Notice>}
      {fault && <Notice tone="warning">{fault}</Notice>}
      <div className="rounded-lg border border-dashed border-line-strong p-3 sm:p-5">
        <div ref={container} />
      </div>
    </div>
  );
}
