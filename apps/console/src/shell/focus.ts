import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** How long a page can take to show its heading. */
const HEADING_MILLISECONDS = 5_000;

/** Moves the focus to the heading of each page that is opened after the first one, so that a screen reader reads it. */
export function useFocusOnHeading(): void {
  const [path] = useLocation();
  const before = useRef(path);
  useEffect(() => {
    const isNavigation = before.current !== path && before.current !== '/';
    before.current = path;
    const content = document.getElementById('content');
    if (!isNavigation || content === null) return;
    let isFocused = focusHeading(content);
    // A page that has loaded can replace its heading, and a dialog that closes gives the focus back.
    const observer = new MutationObserver(() => {
      if (!isFocused || document.activeElement === document.body) isFocused = focusHeading(content);
    });
    observer.observe(content, { childList: true, subtree: true });
    const timer = setTimeout(() => observer.disconnect(), HEADING_MILLISECONDS);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [path]);
}

function focusHeading(content: HTMLElement): boolean {
  const heading = content.querySelector('h1');
  if (heading === null) return false;
  heading.tabIndex = -1;
  heading.focus();
  return true;
}
