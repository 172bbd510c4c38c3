/**
 * Returns a text for chat clients: newlines of the machine's texts are doubled for Markdown; texts of other senders are
 * unchanged. Double newlines are first reduced to single ones, so that paragraphs are not separated by four newlines.
 */
export function doubleNewlines(text: string, sender: string | null): string {
  if (sender !== 'Machine' || !text.includes('\n')) return text;
  return text.replaceAll('\n\n', '\n').replaceAll('\n', '\n\n');
}
