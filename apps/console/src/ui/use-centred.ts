import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';

/** Scrolls a list sideways to its first item of the selector, when the choice changes: on a phone it can be out of view. */
export function useCentred<Item extends HTMLElement>(
  selector: string,
  choice: string | undefined,
): RefObject<Item | null> {
  const list = useRef<Item>(null);
  useLayoutEffect(() => {
    const chosen = list.current?.querySelector(selector)?.getBoundingClientRect();
    if (list.current === null || chosen === undefined) return;
    const { left, width } = list.current.getBoundingClientRect();
    list.current.scrollLeft += chosen.left - left - (width - chosen.width) / 2;
  }, [selector, choice]);
  return list;
}
