export interface BannerOptions {
  readonly url: string;
  /** Only on the start that made the key; afterwards nobody can show it again. */
  readonly newKey: string | null;
  readonly dataDirectory: string;
  /** Which parts are embedded and which are servers. */
  readonly parts: string;
}

/** What somebody who just started Millrace needs next: three requests ready to paste. */
export function banner({ url, newKey, dataDirectory, parts }: BannerOptions): string {
  const key = newKey ?? '$MILLRACE_API_KEY';
  const keyLine = newKey
    ? `API key    ${newKey}   (shown once: keep it)`
    : 'API key    the one printed on the first start';
  const run = `-H 'x-api-key: ${key}' -H 'content-type: application/json' -d '{"input_value":"hello"}'`;
  return `
Millrace   ${url}
${keyLine}
Data       ${dataDirectory}
Parts      ${parts}

Run a flow and wait for its outputs:
  curl -X POST ${url}/api/v1/run/echo ${run}

The same, streamed:
  curl -N -X POST '${url}/api/v1/run/echo?stream=true' ${run}

Start one by webhook, then read its run:
  curl -X POST ${url}/api/v1/webhook/order-webhook -H 'x-api-key: ${key}' -d '{"customer":"Ann","quantity":3,"product":"pencils"}'
  curl ${url}/api/v1/runs -H 'x-api-key: ${key}'
`;
}
