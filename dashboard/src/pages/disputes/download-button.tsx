import { Download } from "lucide-react";
import { useDownload } from "../../api/use-download.ts";
import { Button } from "../../components/button.tsx";
import { Problem } from "../../components/problem.tsx";

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
  const { run, busy, problem } = useDownload();
  return (
    <>
      <Button
        small={small}
        weight={small ? "quiet" : "plain"}
        busy={busy}
        aria-label={name}
        onClick={() => void run(path, fileName)}
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
