import { findProgram } from './find-program.mjs';
import { runCommand } from './run-command.mjs';

/**
 * Deletes the queues and exchanges with this prefix on a shared broker: over its management API if that responds, else
 * with rabbitmqctl. Resolves to the number of deleted queues, or undefined if neither works (AMQP itself cannot list).
 * @param {string} amqpUrl
 * @param {string} prefix
 * @returns {Promise<number | undefined>}
 */
export async function deleteQueues(amqpUrl, prefix) {
  return (
    (await overManagement(amqpUrl, prefix).catch(() => undefined)) ??
    overControl(amqpUrl, prefix).catch(() => undefined)
  );
}

/**
 * @param {string} amqpUrl
 * @param {string} prefix
 */
async function overManagement(amqpUrl, prefix) {
  const { hostname, username, password, pathname } = new URL(amqpUrl);
  const virtualHost = pathname.length > 1 ? pathname.slice(1) : '%2F';
  const authorization = `Basic ${Buffer.from(`${username || 'guest'}:${password || 'guest'}`).toString('base64')}`;
  /**
   * @param {string} method
   * @param {string} path
   */
  const call = async (method, path) => {
    const signal = AbortSignal.timeout(5000);
    const response = await fetch(`http://${hostname}:15672/api/${path}`, {
      method,
      headers: { authorization },
      signal,
    });
    if (!response.ok && response.status !== 404) throw new Error(`management answered ${response.status}`);
    return response;
  };
  let deleted = 0;
  for (const kind of ['queues', 'exchanges']) {
    const response = await call('GET', `${kind}/${virtualHost}?columns=name`);
    const entries = /** @type {{ readonly name: string }[]} */ (await response.json());
    for (const { name } of entries.filter((entry) => entry.name.startsWith(prefix))) {
      await call('DELETE', `${kind}/${virtualHost}/${encodeURIComponent(name)}`);
      if (kind === 'queues') deleted += 1;
    }
  }
  return deleted;
}

/**
 * @param {string} amqpUrl
 * @param {string} prefix
 */
async function overControl(amqpUrl, prefix) {
  const { hostname, pathname } = new URL(amqpUrl);
  const control = findProgram('rabbitmqctl');
  if (control === undefined || process.getuid?.() !== 0 || !['127.0.0.1', 'localhost'].includes(hostname))
    return undefined;
  const virtualHost = pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : '/';
  const list = await runCommand(
    control,
    ['-q', '-p', virtualHost, 'list_queues', 'name', '--no-table-headers'],
    {
      deadlineMilliseconds: 30_000,
    },
  );
  const names = list.split('\n').filter((name) => name.startsWith(prefix));
  for (const name of names) await runCommand(control, ['-q', '-p', virtualHost, 'delete_queue', name]);
  return names.length;
}
