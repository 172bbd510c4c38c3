import type { Run, RunRequest } from '../api/answers';
import { projectId } from '../api/project-path';

/** Quotes a word for a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request of a run as a command; the key comes from the environment of the shell. */
export function curlOf(
  run: Run,
  flow: string,
  input: string,
  request: RunRequest | null | undefined,
): string {
  const isWebhook = run.origin === 'webhook';
  const path = isWebhook ? `/api/v1/webhook/${flow}` : `/api/v1/run/${flow}`;
  const body = isWebhook
    ? input || '{}'
    : JSON.stringify({
        input_value: input,
        ...(run.session_id === run.flow_id ? {} : { session_id: run.session_id }),
        ...(request?.tweaks ? { tweaks: request.tweaks } : {}),
      });
  return [
    `curl -X POST ${shellWord(location.origin + path)}`,
    `-H "x-api-key: $MILLRACE_API_KEY" -H 'content-type: application/json'`,
    ...(projectId === undefined ? [] : [`-H 'x-millrace-project: ${projectId}'`]),
    `-d ${shellWord(body)}`,
  ].join(' \\\n  ');
}
