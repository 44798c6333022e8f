import type { TestClockAdvanced } from "@florin/contract/test-clock.ts";
import { FastForward } from "lucide-react";
import { useState } from "react";
import { useMay } from "../api/signed-in-person.ts";
import { useOperation } from "../api/use-operation.ts";
import { Dialog } from "../components/dialog.tsx";
import { SelectField, TextField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { showToast } from "../components/toast.tsx";

const unitSeconds: Readonly<Record<string, number>> = { hours: 3_600, days: 86_400 };

/** A button that advances the test clock, so that everything scheduled in test mode is due earlier. */
export function TestClock() {
  const may = useMay();
  const [open, setOpen] = useState(false);
  const advance = useOperation<number, TestClockAdvanced>(
    (api, seconds, key) => api.post("/test_helpers/clock/advance", { seconds }, key),
    {
      done({ advanced_by }) {
        setOpen(false);
        showToast(`Test clock advanced by ${durationText(advanced_by)}.`);
      },
    },
  );
  if (!may("test_helpers:write")) return null;
  const submit = (form: FormData) => {
    const count = Number(textOf(form, "seconds"));
    const unit = unitSeconds[textOf(form, "unit") ?? "days"] ?? 0;
    void advance.run(Math.round(count * unit));
  };
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="inline-flex items-center gap-1 rounded-sm bg-test-ground px-2 py-0.5 hover:underline"
      >
        <FastForward aria-hidden="true" className="size-3.5" />
        Advance clock
      </button>
      {/* Sets the text color, because the dialog is inside the banner, whose text has another color. */}
      <div className="text-base text-ink">
        <Dialog
          open={open}
          title="Advance the test clock"
          lead="Pending balances become available, payouts arrive, holds and checkout sessions expire, and disputes reach their deadline. The time of past payments does not change. The clock cannot be turned back."
          onClose={() => setOpen(false)}
        >
          <Form
            submit="Advance clock"
            busy={advance.pending}
            problem={advance.problem}
            onCancel={() => setOpen(false)}
            onSubmit={submit}
          >
            <div className="grid grid-cols-2 items-start gap-3">
              <TextField
                name="seconds"
                label="Advance by"
                type="number"
                min={1}
                max={180}
                defaultValue={2}
                inputMode="numeric"
              />
              <SelectField
                name="unit"
                label="Unit"
                defaultValue="days"
                choices={[
                  ["hours", "Hours"],
                  ["days", "Days"],
                ]}
              />
            </div>
          </Form>
        </Dialog>
      </div>
    </>
  );
}

function durationText(seconds: number): string {
  const [unit, size] =
    seconds % 86_400 === 0 ? (["day", 86_400] as const) : (["hour", 3_600] as const);
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
