/**
 * The name itself when it is free; else the name with the number after the highest one taken, as `spell` writes it:
 * "echo" → "echo (1)" → "echo (2)".
 */
export function nextFreeName(
  name: string,
  taken: readonly string[],
  spell: { readonly before: string; readonly after: string },
): string {
  if (!taken.includes(name)) return name;
  const start = name + spell.before;
  const numbers = taken
    .filter((other) => other.startsWith(start) && other.endsWith(spell.after))
    .map((other) => other.slice(start.length, other.length - spell.after.length))
    .filter((digits) => /^\d{1,9}$/u.test(digits))
    .map(Number);
  return `${start}${Math.max(0, ...numbers) + 1}${spell.after}`;
}
