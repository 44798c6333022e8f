import { useState } from "react";
import type { Query } from "./api.ts";
import { type ApiProblem, asProblem } from "./problem.ts";
import { useApi } from "./use-api.ts";

/** Downloads files of the API, and holds the problem of the last download. */
export function useDownload() {
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const run = async (path: string, fileName: string, query?: Query): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const response = await api.download(path, query);
      saveFile(await response.blob(), fileName);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, problem, dismiss: () => setProblem(null) };
}

/** Saves a file on the person's computer, as a download. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
