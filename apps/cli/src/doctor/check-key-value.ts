import { readRedisInfo } from '@millrace/key-value';
import { redisPlace } from '@millrace/service';
import type { TlsMaterial } from '@millrace/service';
import { reasonOf } from '../client/reason-of';
import type { Findings } from './finding';

const TIMEOUT_MILLISECONDS = 5_000;
const OLDEST_REDIS = 6;

export interface KeyValueCheck {
  readonly url: string | undefined;
  readonly tls: TlsMaterial | undefined;
  readonly findings: Findings;
}

/** Checks that Redis answers, its version, and what it does when its memory is full. */
export async function checkKeyValue({ url, tls, findings }: KeyValueCheck): Promise<void> {
  if (url === undefined) return findings.fact('in-memory key-value store');
  try {
    const answers = await readRedisInfo({ url, tls, timeoutMilliseconds: TIMEOUT_MILLISECONDS });
    for (const info of answers) checkServer(info, findings);
  } catch (error) {
    findings.error(
      'redis_unavailable',
      `Redis at ${redisPlace(url)} cannot be used: ${reasonOf(error)}`,
      'Start the server, and check REDIS_URL and its password.',
    );
  }
}

function checkServer(info: string, findings: Findings): void {
  const read = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
  findings.fact(`Redis ${read('redis_version')}`);
  if (Number.parseInt(read('redis_version'), 10) < OLDEST_REDIS)
    findings.warn('redis_old', `This is Redis ${read('redis_version')}.`, 'Use Redis 7 or newer.');
  if (Number(read('maxmemory')) > 0 && read('maxmemory_policy') === 'noeviction')
    findings.warn(
      'redis_never_evicts',
      'Redis has a limit of memory and the policy noeviction: a full Redis refuses writes.',
      'CONFIG SET maxmemory-policy allkeys-lru, or another prefix and server for data that must stay.',
    );
  if (read('role') !== 'master')
    findings.error(
      'redis_replica',
      'REDIS_URL leads to a replica, which refuses writes.',
      'Use the address of the primary.',
    );
}
