import { useEffect, useState } from 'react';

/** Whether a media query matches, now and after changes. */
export function useMedia(media: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(media).matches);
  useEffect(() => {
    const list = matchMedia(media);
    const onChange = () => setMatches(list.matches);
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, [media]);
  return matches;
}
