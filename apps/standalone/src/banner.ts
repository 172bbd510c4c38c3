import { shellWord } from './shell-word.cjs';
import type { StartKey } from './start-key';

export interface BannerOptions {
  readonly url: string;
  readonly key: StartKey;
  /** The value of MILLRACE_BOOTSTRAP_API_KEY_FILE, if the key comes from a file. */
  readonly givenKeyFile: string | undefined;
  readonly dataDirectory: string;
  /** States which parts are embedded and which are servers. */
  readonly parts: string;
  /** The beginning of a command line of this program: `npm start --`. */
  readonly command: string;
}

/**
 * Returns the text that is printed after a start: addresses, the key, and commands. Each line that begins with two
 * spaces can be pasted unchanged into a POSIX shell.
 */
export function banner(options: BannerOptions): string {
  const { url, dataDirectory, parts } = options;
  const headers = `-H "x-api-key: $MILLRACE_API_KEY"`;
  const run = `${headers} -H 'content-type: application/json' -d '{"input_value":"hello"}'`;
  return `
Millrace   ${url}
Console    ${url}/ in a browser; it asks for the API key
Guide      ${url}/guide
API key    ${describeKey(options)}
Data       ${dataDirectory}
Parts      ${parts}

In another terminal, set the key and the server:
  export MILLRACE_API_KEY="${keyExpression(options)}"
  export MILLRACE_URL=${shellWord(url)}

Run a flow and wait for its outputs:
  curl -X POST '${url}/api/v1/run/echo' ${run}

The same, streamed:
  curl -N -X POST '${url}/api/v1/run/echo?stream=true' ${run}

Start one by webhook, then read its run:
  curl -X POST '${url}/api/v1/webhook/order-webhook' ${headers} -d '{"customer":"Ann","quantity":3,"product":"pencils"}'
  curl '${url}/api/v1/runs' ${headers}
`;
}

function describeKey({ key, givenKeyFile, command }: BannerOptions): string {
  switch (key.kind) {
    case 'kept':
      return key.shown === null
        ? `stored in ${key.file}; print it with ${command} --show-key`
        : `${key.shown}   (stored in ${key.file}; print it with ${command} --show-key)`;
    case 'given':
      return givenKeyFile === undefined
        ? 'set by MILLRACE_BOOTSTRAP_API_KEY'
        : `in ${givenKeyFile}, set by MILLRACE_BOOTSTRAP_API_KEY_FILE`;
    case 'refused':
      return `the stored key was deleted or is no longer valid; use another key, or stop and run ${command} --new-key`;
    case 'unknown':
      return `not stored in this data folder; use a key that you have, or stop and run ${command} --new-key`;
  }
}

/**
 * Returns the shell expression of the key, for use in double quotes. If the key is unknown, the shell prints what to
 * set.
 */
function keyExpression({ key, givenKeyFile }: BannerOptions): string {
  if (key.kind === 'kept') return `$(cat ${shellWord(key.file)})`;
  if (key.kind !== 'given') return '${MILLRACE_API_KEY:?set it to one of your API keys}';
  return givenKeyFile === undefined
    ? '${MILLRACE_BOOTSTRAP_API_KEY:?set it to the key that the server was started with}'
    : `$(cat ${shellWord(givenKeyFile)})`;
}
