import { SelectField, TextField } from "../../components/field.tsx";

type Looks = Readonly<Record<string, string>>;
type Props = { readonly looks: Looks; readonly onChange: (looks: Looks) => void };

const fonts = [
  ["", "System"],
  ["Georgia, serif", "Georgia"],
  ["ui-monospace, Menlo, Consolas, monospace", "Monospace"],
  ["Verdana, sans-serif", "Verdana"],
] as const;

/** Edits some of the appearance tokens. The page example omits unchanged tokens. */
export function AppearanceEditor({ looks, onChange }: Props) {
  const set = (name: string, value: string) => {
    const { [name]: _before, ...rest } = looks;
    onChange(value === "" ? rest : { ...rest, [name]: value });
  };
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 font-semibold">Appearance</legend>
      <SelectField
        name="theme"
        label="Theme"
        value={looks.theme ?? ""}
        onChange={({ target }) => set("theme", target.value)}
        choices={[
          ["", "Calm (light or dark)"],
          ["night", "Night"],
          ["plain", "Plain"],
        ]}
      />
      <TextField
        name="accent"
        label="Accent"
        type="color"
        value={looks.accent ?? "#0b5d45"}
        onChange={({ target }) => set("accent", target.value)}
      />
      <TextField
        name="radius"
        label="Corner radius"
        type="range"
        min="0"
        max="24"
        value={Number.parseInt(looks.radius ?? "10", 10)}
        onChange={({ target }) => set("radius", `${target.value}px`)}
      />
      <TextField
        name="fieldHeight"
        label="Field height"
        type="range"
        min="40"
        max="64"
        value={Number.parseInt(looks.fieldHeight ?? "48", 10)}
        onChange={({ target }) => set("fieldHeight", `${target.value}px`)}
      />
      <SelectField
        name="font"
        label="Font"
        value={looks.font ?? ""}
        onChange={({ target }) => set("font", target.value)}
        choices={fonts}
      />
    </fieldset>
  );
}
