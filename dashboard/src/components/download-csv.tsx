import { Download as DownloadIcon } from "lucide-react";
import { useState } from "react";
import type { Query } from "../api/api.ts";
import { type ApiProblem, asProblem } from "../api/problem.ts";
import { useApi } from "../api/use-api.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";
import { saveFile } from "./save-file.ts";

type Props = {
  readonly path: string;
  readonly query: Query;
  /** The start of the file name, before the date. */
  readonly name: string;
};

/** Downloads the filtered list as a CSV file. */
export function Download({ path, query, name }: Props) {
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const download = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const response = await api.download(path, query);
      saveFile(await response.blob(), `${name}-${new Date().toISOString().slice(0, 10)}.csv`);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button busy={busy} onClick={() => void download()}>
        <DownloadIcon aria-hidden="true" className="size-4" />
        Download CSV
      </Button>
      <Dialog open={problem !== null} title="Download failed" onClose={() => setProblem(null)}>
        {problem && <Problem problem={problem} retry={() => void download()} />}
      </Dialog>
    </>
  );
}
