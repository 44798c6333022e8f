import type { ApplicationState, SectionName } from "@florin/contract/application.ts";
import { useOperation } from "../../api/use-operation.ts";
import { showToast } from "../../components/toast.tsx";

/** Saves one section of the application. */
export function useSection<Content extends object>(name: SectionName, onSaved: () => void) {
  return useOperation<Content, ApplicationState>(
    (api, content, key) => api.post(`/application/${name}`, content, key),
    {
      done() {
        showToast("Saved.");
        onSaved();
      },
    },
  );
}
