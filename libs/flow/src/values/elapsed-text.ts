const MINUTE = 60;

/** Returns a duration as Langflow words it, such as `12 ms`, `1.0 second` or `2 minutes, 3.5 seconds`. */
export function elapsedText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  const minutes = Math.floor(seconds / MINUTE);
  if (minutes === 0) return secondsText(seconds);
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, ${secondsText(seconds - minutes * MINUTE)}`;
}

function secondsText(seconds: number): string {
  const text = seconds.toFixed(1);
  return `${text} ${text === '1.0' ? 'second' : 'seconds'}`;
}
