/** Returns a line for a shell that sends a JSON body to the API. */
export function curlLine(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const more = Object.entries(headers).map(([name, value]) => ` -H '${name}: ${value}'`);
  return (
    `curl '${location.origin}${path}' -H "x-api-key: $MILLRACE_API_KEY" ` +
    `-H 'content-type: application/json'${more.join('')} -d '${JSON.stringify(body)}'`
  );
}
