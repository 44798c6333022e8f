/** Shows a dialog. Resolves to true if the person completed it, and to false if the person closed it. */
type Show = () => Promise<boolean>;

/**
 * Creates a prompt, which a dialog at the root of the app shows. Requests wait until the person completes the dialog.
 * Concurrent requests share one prompt.
 */
export function createPrompt() {
  let show: Show | null = null;
  let shown: Promise<boolean> | null = null;
  return {
    /** Registers the dialog that shows the prompt. Returns a function that unregisters it. */
    showWith(dialog: Show): () => void {
      show = dialog;
      return () => {
        if (show === dialog) show = null;
      };
    },
    open(): Promise<boolean> {
      if (!show) return Promise.resolve(false);
      shown ??= show().finally(() => {
        shown = null;
      });
      return shown;
    },
  };
}

export type Prompt = ReturnType<typeof createPrompt>;
