import { useEffect, useRef } from 'react';

/** Keys of a page, such as `j` or `?`. They do nothing while the focus is in a field or a dialog is open. */
export type Shortcuts = Readonly<Record<string, () => void>>;

export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === 'Enter' && isOperable(event.target)) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Ctrl+K, or ⌘K, also while the focus is in a field. */
export function usePaletteKey(open: () => void): void {
  const current = useRef(open);
  useEffect(() => {
    current.current = open;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey) return;
      if (event.ctrlKey === event.metaKey) return;
      event.preventDefault();
      current.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Whether Enter is for the element itself. */
const isOperable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('a, button, summary, [role="slider"]');

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open], [popover]:popover-open') !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"])'))
  );
}
