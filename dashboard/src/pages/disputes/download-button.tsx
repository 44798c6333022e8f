import { Download } from "lucide-react";
import { useState } from "react";
import { type ApiProblem, asProblem } from "../../api/problem.ts";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../components/button.tsx";
import { Problem } from "../../components/problem.tsx";
import { saveFile } from "../../components/save-file.ts";

type Props = {
  readonly path: string;
  readonly fileName: string;
  readonly label: string;
  readonly small?: boolean;
  /** The name for screen readers, if the label does not name the file. */
  readonly name?: string;
};

/** Downloads a file of the API. */
export function DownloadButton({ path, fileName, label, small = false, name }: Props) {
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const download = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const response = await api.download(path);
      saveFile(await response.blob(), fileName);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        small={small}
        weight={small ? "quiet" : "plain"}
        busy={busy}
        aria-label={name}
        onClick={() => void download()}
      >
        <Download aria-hidden="true" className="size-4" />
        {label}
      </Button>
      {problem && (
        <div className="basis-full">
          <Problem problem={problem} />
        </div>
      )}
    </>
  );
}
