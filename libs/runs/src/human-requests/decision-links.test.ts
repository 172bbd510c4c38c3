import { randomUUID } from 'node:crypto';
import { Encryption } from '../encryption/encryption';
import { DecisionLinks, DECISION_PATH } from './decision-links';

const [old, fresh] = ['07', '08'].map((byte) => byte.repeat(32)) as [string, string];
const linksOf = (...keys: string[]) =>
  new DecisionLinks({ encryption: Encryption.from(keys), publicUrl: undefined });
const pausedAt = new Date('2026-01-02T03:04:05Z');
const request = {
  runId: randomUUID(),
  request_id: 'HumanInput-h:run',
  kind: 'node_input' as const,
  options: [{ action_id: 'approve', label: 'Approve' }],
  pausedAt,
  dueAt: null,
};
const tokenOf = (link: string) => link.slice(DECISION_PATH.length);

test('a link opens while the key that signed it is configured, also as the older one of two', () => {
  const { form, actions } = linksOf(old).of(request);
  const tokens = [tokenOf(form), tokenOf(actions['approve'] ?? '')];
  const read = (...keys: string[]) =>
    tokens.map((token) => linksOf(...keys).read(token, pausedAt.getTime())?.actionId);
  expect(read(old)).toEqual([null, 'approve']);
  expect(read(fresh, old)).toEqual([null, 'approve']);
  expect(read(fresh)).toEqual([undefined, undefined]);
  expect(linksOf(fresh, old).of(request).form).not.toBe(form);
});

test('a link is for one request of one run, and expires seven days after the pause', () => {
  const token = tokenOf(linksOf(old).of(request).form);
  const end = pausedAt.getTime() + 7 * 86_400_000;
  expect(linksOf(old).read(token, end - 1)).toMatchObject({ runId: request.runId, isExpired: false });
  const link = linksOf(old).read(token, end);
  expect([link?.isExpired, link?.isAbout(request.request_id), link?.isAbout('another')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('a request about a tool call has links for the choices without a text, until it is due', () => {
  const dueAt = new Date('2026-01-02T03:05:00.001Z');
  const options = ['approve', 'edit', 'respond', 'reject'].map((id) => ({ action_id: id, label: id }));
  const links = new DecisionLinks({
    encryption: Encryption.from([old]),
    publicUrl: 'https://flows.example//',
  });
  const made = links.of({ ...request, kind: 'tool_approval', options, dueAt });
  expect(made).toEqual({
    form: expect.stringMatching(/^https:\/\/flows\.example\/decide\/[\w-]+\.[0-9a-f]{8}\.[\w-]+$/),
    actions: { approve: expect.any(String), reject: expect.any(String) },
    expires_at: '2026-01-02T03:05:01.000Z',
  });
  const read = links.read(made.actions['reject']?.split('/decide/')[1] ?? '', 0);
  expect(read).toMatchObject({ runId: request.runId, actionId: 'reject', isExpired: false });
  const asked = links.of({ ...request, options, dueAt: null });
  expect(Object.keys(asked.actions)).toEqual(['approve', 'edit', 'respond', 'reject']);
  expect(asked.expires_at).toBe('2026-01-09T03:04:05.000Z');
});

test.each(['', 'a.b.c', '..'])('the text %j is no link', (token) => {
  expect(linksOf(old).read(token, 0)).toBeNull();
});
