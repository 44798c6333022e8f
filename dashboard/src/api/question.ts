/** True when the person did what was asked of them. */
type Ask = () => Promise<boolean>;

/**
 * A question to the person that requests wait for. A dialog at the root of the app puts it; several requests at once are
 * one question.
 */
export function openQuestion() {
  let how: Ask | null = null;
  let asking: Promise<boolean> | null = null;
  return {
    /** The dialog says how it is asked; it takes its word back when it leaves the page. */
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

export type Question = ReturnType<typeof openQuestion>;
