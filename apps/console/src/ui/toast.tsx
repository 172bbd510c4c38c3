import { useEffect, useSyncExternalStore } from 'react';

let text = '';
const listeners = new Set<() => void>();

function set(next: string) {
  text = next;
  for (const listener of listeners) listener();
}

/** Shows a short message for a few seconds, and reads it to screen readers. */
export const toast = (message: string): void => set(message);

export function Toast() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => text,
  );
  useEffect(() => {
    if (shown === '') return;
    const timer = setTimeout(() => set(''), 4000);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div className="toast" role="status" aria-live="polite">
      {shown}
    </div>
  );
}
