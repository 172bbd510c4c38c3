/**
 * A text as chat clients get it: what the machine says has its newlines doubled for Markdown; anybody else's text is
 * left alone. Pairs become single ones first, so that paragraphs do not end up four lines apart.
 */
export function doubleNewlines(text: string, sender: string | null): string {
  if (sender !== 'Machine' || !text.includes('\n')) return text;
  return text.replaceAll('\n\n', '\n').replaceAll('\n', '\n\n');
}
