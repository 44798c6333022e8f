/** Shows a dialog. Resolves to true when the person completed it. */
type Ask = () => Promise<boolean>;

/**
 * Creates a prompt that requests wait for. A dialog at the root of the app shows it. Concurrent requests share one
 * prompt.
 */
export function createPrompt() {
  let how: Ask | null = null;
  let asking: Promise<boolean> | null = null;
  return {
    /** Registers the dialog that shows the prompt. Returns a function that unregisters it. */
    putBy(ask: Ask): () => void {
      how = ask;
      return () => {
        if (how === ask) how = null;
      };
    },
    ask(): Promise<boolean> {
      if (!how) return Promise.resolve(false);
      asking ??= how().finally(() => {
        asking = null;
      });
      return asking;
    },
  };
}

export type Question = ReturnType<typeof createPrompt>;
