import { deepEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { portOf, waitUntil } from '@millrace/testing';
import { ReadyMembers } from './ready-members.mjs';

async function startMember() {
  const member = { status: 200 };
  const server = createServer((_request, response) => response.writeHead(member.status).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(member, {
    url: `http://127.0.0.1:${portOf(server)}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  });
}

/**
 * @param {() => unknown} read
 * @param {unknown} expected
 */
function until(read, expected) {
  return waitUntil(() => deepEqual(read(), expected), { deadlineMilliseconds: 120_000 });
}

test('chooses from those that are ready, and from all when none is', async () => {
  const [one, other] = [await startMember(), await startMember()];
  const members = new ReadyMembers([one.url, other.url]);
  const chosen = () => members.urls;
  members.start();
  one.status = 503;
  await until(chosen, [other.url]);
  one.status = 200;
  await until(chosen, [one.url, other.url]);
  members.refused(other.url);
  deepEqual(chosen(), [one.url]);
  one.status = 503;
  other.status = 503;
  await until(chosen, [one.url, other.url]);
  one.status = 200;
  await until(chosen, [one.url]);
  members.close();
  await Promise.all([one.close(), other.close()]);
});
