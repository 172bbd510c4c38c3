import { deepEqual } from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ReadyMembers } from './ready-members.mjs';

async function startMember() {
  const member = { status: 200 };
  const server = createServer((_request, response) => response.writeHead(member.status).end());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(member, {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  });
}

async function until(read, expected) {
  for (let tries = 0; tries < 200 && JSON.stringify(read()) !== JSON.stringify(expected); tries += 1)
    await pause(50);
  deepEqual(read(), expected);
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
