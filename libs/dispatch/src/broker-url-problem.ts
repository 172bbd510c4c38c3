/** Why the text is not the URL of a broker; null when it is. The reason does not contain the text. */
export function brokerUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const { protocol, hostname, hash } = new URL(text);
  if (protocol !== 'amqp:' && protocol !== 'amqps:') return 'is not a URL over amqp or amqps';
  if (hostname === '') return 'names no host';
  return hash === '' ? null : 'has a fragment: # in a password must be written as %23';
}
