import { Encryption, RequestSeal } from '@millrace/runs';
import { until } from '@millrace/service/testing';
import { installForAllTests } from '../testing/install-for-tests';

const given = installForAllTests();

const secret = (text: string) => given.request(text, { globalVariables: { KEY: 'sk-secret' } });

test('a sealed request is decrypted, in the job or behind a payload reference', async () => {
  const inline = given.seal.write(secret('inline'));
  expect(inline).not.toContain('sk-secret');
  const checked = given.job(given.echo, { request: null, claimCheck: 'claim:sealed' });
  await given.keyValue.set('claim:sealed', given.seal.write(secret('checked')));
  const job = given.job(given.echo, { request: JSON.parse(inline) as { readonly sealed: string } });
  for (const [sent, text] of [
    [job, 'inline'],
    [checked, 'checked'],
  ] as const) {
    await given.send(sent);
    const reply = await given.finalReply(sent.runId);
    expect([reply.headers['x-status'], reply.body.toString()]).toEqual([
      'succeeded',
      expect.stringContaining(text),
    ]);
  }
});

test('a request with an unknown key fails an interactive run, and a durable run is retried', async () => {
  const foreign = new RequestSeal({
    encryption: Encryption.from([Buffer.alloc(32, 9).toString('base64')]),
  });
  const sealed = JSON.parse(foreign.write(secret('foreign'))) as { readonly sealed: string };
  const job = given.job(given.echo, { request: sealed });
  await given.send(job);
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('failed');

  const durable = await given.accept(given.echo);
  await given.database.query({
    text: 'UPDATE runs SET request = $2 WHERE id = $1',
    values: [durable.runId, foreign.write(secret('foreign'))],
  });
  await given.send(durable);
  await until(
    async () => (await given.runs.find(given.userId, durable.runId))?.attempt === 2,
    'the run was not retried',
  );
  await given.database.query({
    text: 'UPDATE runs SET request = $2 WHERE id = $1',
    values: [durable.runId, given.seal.write(secret('own'))],
  });
  expect((await given.finalReply(durable.runId)).headers['x-status']).toBe('succeeded');
});
