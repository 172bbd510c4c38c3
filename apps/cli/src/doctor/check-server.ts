import { version } from '@millrace/service';
import { reasonOf } from '../client/reason-of';
import type { MillraceClient } from '../client/millrace-client';
import { MillraceError } from '../client/millrace-error';
import type { Findings } from './finding';

interface Readiness {
  readonly ready?: boolean;
  readonly checks?: Readonly<Record<string, { readonly ok: boolean; readonly error?: string }>>;
}

/** Checks the server of the profile: its readiness, its release, the key. */
export async function checkServer(api: MillraceClient, findings: Findings): Promise<void> {
  try {
    const response = await api.send('/readyz');
    const { ready, checks = {} } = (await response.json().catch(() => ({}))) as Readiness;
    if (ready === undefined)
      return findings.error(
        'server_other',
        `${api.url} is not a server of Millrace.`,
        'Correct the address of the profile.',
      );
    for (const [name, { ok, error }] of Object.entries(checks))
      if (!ok)
        findings[ready ? 'warn' : 'error'](
          'server_check_failed',
          `${api.url}: ${name}: ${error ?? 'failed'}`,
          'Correct the part that it names; /readyz shows when it is sound.',
        );
    if (ready) findings.fact(`${api.url} is ready`);
    await checkRelease(api, findings);
    await checkKey(api, findings);
  } catch (error) {
    findings.error(
      'server_unavailable',
      reasonOf(error),
      'Start the server, or correct the address of the profile.',
    );
  }
}

async function checkKey(api: MillraceClient, findings: Findings): Promise<void> {
  try {
    const { username } = await api.call('GET /api/v1/users/whoami');
    findings.fact(`the key is that of ${username}`);
  } catch (error) {
    if (!(error instanceof MillraceError) || error.reason !== 'refused') throw error;
    findings.error('key_refused', `${api.url} refuses the API key.`, 'millrace login with a valid key.');
    return;
  }
}

/** `/api/v1/version` is the release of Langflow that the server answers as, so `/` names that of Millrace. */
async function checkRelease(api: MillraceClient, findings: Findings): Promise<void> {
  const headers = { accept: 'application/json' };
  const { version: running } = await api
    .json<{ version?: string }>('/', { headers })
    .catch(() => ({ version: undefined }));
  if (running === version) findings.fact(`the server and this program are Millrace ${version}`);
  else if (running !== undefined)
    findings.fact(`the server is Millrace ${running}, and this program is Millrace ${version}`);
}
