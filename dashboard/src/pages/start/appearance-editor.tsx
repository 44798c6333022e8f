import { SelectField, TextField } from "../../components/field.tsx";

type Tokens = Readonly<Record<string, string>>;
type Props = { readonly tokens: Tokens; readonly onChange: (tokens: Tokens) => void };

const fonts = [
  ["", "System"],
  ["Georgia, serif", "Georgia"],
  ["ui-monospace, Menlo, Consolas, monospace", "Monospace"],
  ["Verdana, sans-serif", "Verdana"],
] as const;

/** Edits some of the appearance tokens. `tokens` contains only the tokens that the person changed. */
export function AppearanceEditor({ tokens, onChange }: Props) {
  const set = (name: string, value: string) => {
    const { [name]: _before, ...rest } = tokens;
    onChange(value === "" ? rest : { ...rest, [name]: value });
  };
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 font-semibold">Appearance</legend>
      <SelectField
        name="theme"
        label="Theme"
        value={tokens.theme ?? ""}
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
        value={tokens.accent ?? "#0b5d45"}
        onChange={({ target }) => set("accent", target.value)}
      />
      <TextField
        name="radius"
        label="Corner radius"
        type="range"
        min="0"
        max="24"
        value={Number.parseInt(tokens.radius ?? "10", 10)}
        onChange={({ target }) => set("radius", `${target.value}px`)}
      />
      <TextField
        name="fieldHeight"
        label="Field height"
        type="range"
        min="40"
        max="64"
        value={Number.parseInt(tokens.fieldHeight ?? "48", 10)}
        onChange={({ target }) => set("fieldHeight", `${target.value}px`)}
      />
      <SelectField
        name="font"
        label="Font"
        value={tokens.font ?? ""}
        onChange={({ target }) => set("font", target.value)}
        choices={fonts}
      />
    </fieldset>
  );
}
