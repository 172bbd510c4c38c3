import { shellWord } from './shell-word.cjs';
import type { StartKey } from './start-key';

export interface BannerOptions {
  readonly url: string;
  readonly key: StartKey;
  /** The file that MILLRACE_BOOTSTRAP_API_KEY_FILE names, where the key is given by one. */
  readonly givenKeyFile: string | undefined;
  readonly dataDirectory: string;
  /** Which parts are embedded and which are servers. */
  readonly parts: string;
  /** Begins a command line of this program: `npm start --`. */
  readonly command: string;
}

/**
 * What is needed right after a start: addresses, the key, and commands. Each line that begins with two blanks can be
 * pasted into a POSIX shell as it is.
 */
export function banner(options: BannerOptions): string {
  const { url, dataDirectory, parts } = options;
  const headers = `-H "x-api-key: $MILLRACE_API_KEY"`;
  const run = `${headers} -H 'content-type: application/json' -d '{"input_value":"hello"}'`;
  return `
Millrace   ${url}
Docs       ${url}/docs
API key    ${keyText(options)}
Data       ${dataDirectory}
Parts      ${parts}

In another terminal, take the key:
  export MILLRACE_API_KEY="${keyExpression(options)}"

Run a flow and wait for its outputs:
  curl -X POST '${url}/api/v1/run/echo' ${run}

The same, streamed:
  curl -N -X POST '${url}/api/v1/run/echo?stream=true' ${run}

Start one by webhook, then read its run:
  curl -X POST '${url}/api/v1/webhook/order-webhook' ${headers} -d '{"customer":"Ann","quantity":3,"product":"pencils"}'
  curl '${url}/api/v1/runs' ${headers}
`;
}

function keyText({ key, givenKeyFile, command }: BannerOptions): string {
  switch (key.kind) {
    case 'kept':
      return key.shown === null
        ? `kept in ${key.file}; ${command} --show-key prints it`
        : `${key.shown}   (kept in ${key.file}; ${command} --show-key prints it)`;
    case 'given':
      return givenKeyFile === undefined
        ? 'the one given by MILLRACE_BOOTSTRAP_API_KEY'
        : `the one in ${givenKeyFile}, given by MILLRACE_BOOTSTRAP_API_KEY_FILE`;
    case 'refused':
      return `the one that was kept was deleted or is not valid any more; use another, or stop and ${command} --new-key`;
    case 'unknown':
      return `none is kept in this data folder; use one that you have, or stop and ${command} --new-key`;
  }
}

/** What stands for the key within double quotes in a shell. Where it is not known, the shell says what is missing. */
function keyExpression({ key, givenKeyFile }: BannerOptions): string {
  if (key.kind === 'kept') return `$(cat ${shellWord(key.file)})`;
  if (key.kind !== 'given') return '${MILLRACE_API_KEY:?set it to one of your API keys}';
  return givenKeyFile === undefined
    ? '${MILLRACE_BOOTSTRAP_API_KEY:?set it to the key that the server was started with}'
    : `$(cat ${shellWord(givenKeyFile)})`;
}
