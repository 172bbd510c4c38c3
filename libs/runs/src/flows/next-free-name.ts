/**
 * Returns the name when it is free; else the name with the next number after the highest one taken, formatted by
 * `suffix`: "echo" → "echo (1)" → "echo (2)".
 */
export function nextFreeName(
  name: string,
  taken: readonly string[],
  suffix: { readonly before: string; readonly after: string },
): string {
  if (!taken.includes(name)) return name;
  const start = name + suffix.before;
  const last = taken
    .filter((other) => other.startsWith(start) && other.endsWith(suffix.after))
    .map((other) => other.slice(start.length, other.length - suffix.after.length))
    .filter((digits) => /^\d{1,9}$/u.test(digits))
    .reduce((highest, digits) => Math.max(highest, Number(digits)), 0);
  return `${start}${last + 1}${suffix.after}`;
}
