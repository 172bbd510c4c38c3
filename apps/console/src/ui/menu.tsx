import { useId, useRef, useState } from 'react';
import type { CSSProperties, KeyboardEvent, ReactNode, ToggleEvent } from 'react';
import { ChevronDown } from './icons';
import { placeAfter } from './roving';

/** Between the button and its menu, in pixels. */
const GAP = 4;
/** The widest menu; a button that is nearer to the right edge has its menu aligned with that edge of its own. */
const WIDTH = 320;

export interface MenuAction {
  readonly title: string;
  /** In place of the title. */
  readonly shown?: ReactNode;
  readonly icon?: ReactNode;
  readonly act: () => void;
}

export interface MenuProps {
  readonly title: ReactNode;
  readonly actions: readonly MenuAction[];
}

/** A button with a menu of actions. Arrow keys, Home and End move in it; Escape or a click beside it closes it. */
export function Menu({ title, actions }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [style, setStyle] = useState<CSSProperties>({});
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
  const onToggle = ({ newState }: ToggleEvent) => {
    setOpen(newState === 'open');
    if (newState === 'open') items()[0]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Tab') menu.current?.hidePopover();
    const all = items();
    const next = placeAfter(event.key, all.indexOf(document.activeElement as HTMLElement), all.length, {
      before: 'ArrowUp',
      after: 'ArrowDown',
    });
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="button"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          menu.current?.showPopover();
        }}
      >
        {title} <ChevronDown size={14} />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        className="menu"
        style={style}
        onBeforeToggle={() => setStyle(placeOf(button.current))}
        onToggle={onToggle}
        onKeyDown={onKeyDown}
      >
        {actions.map(({ title: name, shown = name, icon, act }, place) => (
          <button
            key={`${place} ${name}`}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className="menu-item"
            onClick={() => {
              menu.current?.hidePopover();
              act();
            }}
          >
            {icon} {shown}
          </button>
        ))}
      </div>
    </>
  );
}

/** A menu is drawn above the page: its place is that of its button in the window. */
function placeOf(button: HTMLElement | null): CSSProperties {
  if (button === null) return {};
  const { left, right, bottom } = button.getBoundingClientRect();
  const side = left + WIDTH > innerWidth ? { right: innerWidth - right } : { left };
  return { top: bottom + GAP, ...side };
}
