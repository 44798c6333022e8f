import type { ApplicationState, SectionName } from "@florin/contract/application.ts";
import { useAct } from "../../api/use-act.ts";
import { say } from "../../components/toast.tsx";

/** Saves one whole section. */
export function useSection<Content extends object>(name: SectionName, onSaved: () => void) {
  return useAct<Content, ApplicationState>(
    (api, content, key) => api.post(`/application/${name}`, content, key),
    {
      done() {
        say("Saved.");
        onSaved();
      },
    },
  );
}
