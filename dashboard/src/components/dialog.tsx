import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { pathToFocus, rememberPath, restoreFocus } from "./restore-focus.ts";

type Props = {
  readonly open: boolean;
  readonly title: string;
  readonly lead?: ReactNode;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** Blurs the page behind the dialog until the dialog is completed. */
  readonly blurred?: boolean;
  readonly children: ReactNode;
};

/**
 * A modal dialog. The native element traps the focus, makes the rest of the page inert and closes with Escape. Closing
 * the dialog returns the focus to the previously focused element.
 */
export function Dialog({ open, ...rest }: Props) {
  return open ? <OpenDialog {...rest} /> : null;
}

function OpenDialog({
  title,
  lead,
  onClose,
  wide = false,
  blurred = false,
  children,
}: Omit<Props, "open">) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Reads the focused element during render, because a menu that opens the dialog is removed before the dialog is
  // mounted.
  const [path] = useState(pathToFocus);
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    rememberPath(element, path);
    element.showModal();
    // Focus the first field instead of the close button.
    element.querySelector<HTMLElement>("input:not([readonly]), select, textarea")?.focus();
    return () => {
      element.close();
      // The browser restores the focus only if the dialog is in the document when it closes. React removes the dialog
      // first, so this effect restores the focus.
      restoreFocus(path);
    };
  }, [path]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      // Visible even while the sections of the page that opened the dialog are still loading.
      className={`visible m-auto scroll-pb-20 w-[calc(100vw-2rem)] rounded-lg border border-line bg-surface p-0 shadow-raised ${wide ? "max-w-3xl" : "max-w-lg"} ${blurred ? "backdrop:backdrop-blur-md" : ""}`}
    >
      <div className="flex items-start gap-4 px-5 pt-5">
        <div className="min-w-0">
          <h2 id={id} className="text-lg">
            {title}
          </h2>
          {lead && <div className="mt-1 text-pretty text-ink-soft">{lead}</div>}
        </div>
        <button
          type="button"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
          className="-mt-1 -mr-1.5 ml-auto grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      </div>
      <div className="p-5">{children}</div>
    </dialog>
  );
}
