const MAXIMUM_NAME_LENGTH = 46;

/**
 * Returns a name in Langflow's form for tools: lower case, letters without accents, digits and single underscores, at most
 * 46 characters; "unnamed" when nothing is left.
 */
export function mcpName(name: string): string {
  const words = name
    .normalize('NFD')
    .replaceAll(/\p{Mn}|\p{Extended_Pictographic}|[^\p{L}\p{N}_\s-]/gu, '')
    .replaceAll(/[-\s_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase();
  const started = /^\p{Nd}/u.test(words) ? `_${words}` : words;
  const short = [...started].slice(0, MAXIMUM_NAME_LENGTH).join('');
  return (short === started ? short : short.replace(/_+$/, '')) || 'unnamed';
}
