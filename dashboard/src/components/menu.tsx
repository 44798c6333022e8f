import * as Radix from "@radix-ui/react-dropdown-menu";
import { Check, Ellipsis } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { buttonStyle } from "./button.tsx";

/** A button that opens a menu of operations. The menu is not modal, so that the page can still be scrolled. */
export function Menu({ trigger, children }: { trigger: ReactNode; children: ReactNode }) {
  const button = useRef<HTMLButtonElement>(null);
  // Inside a dialog, the menu is rendered into the dialog, because everything outside an open dialog is inert and is
  // displayed behind it.
  const [dialog, setDialog] = useState<HTMLElement | null>(null);
  return (
    <Radix.Root
      modal={false}
      onOpenChange={() => setDialog(button.current?.closest("dialog") ?? null)}
    >
      <Radix.Trigger asChild ref={button}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal container={dialog}>
        <Radix.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          className="z-40 max-h-(--radix-dropdown-menu-content-available-height) min-w-52 overflow-y-auto rounded-md border border-line bg-surface p-1 shadow-raised"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The menu of operations on one table row. `of` is the row's name. */
export function ActionsMenu({ of, children }: { of: string; children: ReactNode }) {
  return (
    <Menu
      trigger={
        <button
          type="button"
          className={buttonStyle("quiet", true)}
          aria-label={`Actions for ${of}`}
        >
          <Ellipsis aria-hidden="true" className="size-4" />
        </button>
      }
    >
      {children}
    </Menu>
  );
}

const itemStyle =
  "flex w-full cursor-pointer items-center gap-2 rounded-sm px-2.5 py-1.5 outline-none select-none data-[highlighted]:bg-hover data-[disabled]:opacity-55";

export function MenuItem({
  onSelect,
  danger = false,
  children,
}: {
  onSelect: () => void;
  danger?: boolean;
  children: ReactNode;
}) {
  return (
    <Radix.Item onSelect={onSelect} className={`${itemStyle} ${danger ? "text-negative" : ""}`}>
      {children}
    </Radix.Item>
  );
}

/** A group of menu options, one of which is selected and marked. */
export function MenuChoice<Value extends string>({
  label,
  chosen,
  options,
  onChoose,
}: {
  label: string;
  chosen: Value;
  options: readonly { readonly value: Value; readonly content: ReactNode }[];
  onChoose: (value: Value) => void;
}) {
  return (
    <Radix.RadioGroup
      aria-label={label}
      value={chosen}
      onValueChange={(value) => onChoose(value as Value)}
    >
      {options.map(({ value, content }) => (
        <Radix.RadioItem key={value} value={value} className={itemStyle}>
          {content}
          <Radix.ItemIndicator className="ml-auto">
            <Check aria-hidden="true" className="size-4" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

/** An option that is on or off. The menu stays open, so that several options can be changed. */
export function MenuCheck({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={itemStyle}
    >
      {children}
      <Radix.ItemIndicator className="ml-auto">
        <Check aria-hidden="true" className="size-4" />
      </Radix.ItemIndicator>
    </Radix.CheckboxItem>
  );
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2.5 pt-2 pb-1 text-xs text-ink-soft">{children}</Radix.Label>;
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}
