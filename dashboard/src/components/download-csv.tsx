import { Download as DownloadIcon } from "lucide-react";
import type { Query } from "../api/api.ts";
import { useDownload } from "../api/use-download.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

type Props = {
  readonly path: string;
  readonly query: Query;
  /** The start of the file name, before the date. */
  readonly name: string;
};

/** Downloads the filtered list as a CSV file. */
export function Download({ path, query, name }: Props) {
  const { run, busy, problem, dismiss } = useDownload();
  const download = () => run(path, `${name}-${new Date().toISOString().slice(0, 10)}.csv`, query);
  return (
    <>
      <Button busy={busy} onClick={() => void download()}>
        <DownloadIcon aria-hidden="true" className="size-4" />
        Download CSV
      </Button>
      <Dialog open={problem !== null} title="Download failed" onClose={dismiss}>
        {problem && <Problem problem={problem} retry={() => void download()} />}
      </Dialog>
    </>
  );
}
