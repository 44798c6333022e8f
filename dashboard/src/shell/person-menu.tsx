import { useNavigate } from "@tanstack/react-router";
import { LogOut, Monitor, Moon, ShieldCheck, Sun, UserRound, Wrench } from "lucide-react";
import { signOut } from "../api/sign-out.ts";
import { useMe } from "../api/signed-in-person.ts";
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuLine } from "../components/menu.tsx";

const themes = [
  { value: "system", words: "System", Icon: Monitor },
  { value: "light", words: "Light", Icon: Sun },
  { value: "dark", words: "Dark", Icon: Moon },
] as const;

/**
 * This component is rendered each time the menu opens, so that it marks the current theme even if the theme was chosen
 * in another tab.
 */
function ThemeChoice() {
  return (
    <MenuChoice
      label="Theme"
      chosen={chosenTheme()}
      options={themes.map(({ value, words, Icon }) => ({
        value,
        content: (
          <>
            <Icon aria-hidden="true" className="size-4" /> {words}
          </>
        ),
      }))}
      onChoose={chooseTheme}
    />
  );
}

/** The menu for security, theme and sign-out. */
export function PersonMenu() {
  const { name, email, operator } = useMe();
  const navigate = useNavigate();
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-hover"
        >
          <span className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-accent">
            <UserRound aria-hidden="true" className="size-4" />
          </span>
          <span className="min-w-0">
            <span className="block truncate text-sm font-medium">{name}</span>
            <span className="block truncate text-xs text-ink-soft">{email}</span>
          </span>
        </button>
      }
    >
      <MenuItem onSelect={() => void navigate({ to: "/settings/security" })}>
        <ShieldCheck aria-hidden="true" className="size-4" /> Security settings
      </MenuItem>
      {operator && (
        <MenuItem onSelect={() => void navigate({ to: "/operator" })}>
          <Wrench aria-hidden="true" className="size-4" /> Admin console
        </MenuItem>
      )}
      <MenuLine />
      <MenuHeading>Theme</MenuHeading>
      <ThemeChoice />
      <MenuLine />
      <MenuItem onSelect={() => void signOut()}>
        <LogOut aria-hidden="true" className="size-4" /> Sign out
      </MenuItem>
    </Menu>
  );
}

/** The theme chosen on this device. `system` follows the device. `theme.js` reads it before the first paint. */
type Theme = "system" | "light" | "dark";

const key = "florin-theme";

function chosenTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === "light" || stored === "dark" ? stored : "system";
}

function chooseTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(key);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(key, theme);
    document.documentElement.dataset.theme = theme;
  }
}
