import type { Delivery } from '@millrace/messaging';
import { recordingLogger } from '@millrace/service/testing';
import { controlHandler } from './control-handler';

const logger = recordingLogger();
const delivery = (text: string): Delivery => ({
  body: Buffer.from(text),
  exchange: 'control',
  routingKey: '',
  messageId: undefined,
  correlationId: undefined,
  replyTo: undefined,
  type: undefined,
  headers: {},
  redelivered: false,
});

test.each([
  ['nothing', ''],
  ['text', 'no JSON'],
  ['null', 'null'],
  ['an array', '[]'],
  ['no kind', '{}'],
  ['a kind that is not a text', '{"kind":1}'],
  ['a missing member', '{"kind":"cancel"}'],
  ['a member of another type', '{"kind":"flow-changed","flowId":7}'],
])('discards a message with %s and calls no function', async (_what, text) => {
  const calls: unknown[] = [];
  const record = (message: unknown): void => void calls.push(message);
  const handle = controlHandler({ cancel: record, 'flow-changed': record }, logger);
  expect(await handle(delivery(text))).toBe('discard');
  expect(calls).toEqual([]);
  expect(logger.fieldsOf('control message ignored: it is invalid').at(-1)).toEqual({ bytes: text.length });
});

test('calls the function of the kind, and ignores kinds without one', async () => {
  const calls: string[] = [];
  const handle = controlHandler({ 'flow-changed': ({ flowId }) => void calls.push(flowId) }, logger);
  expect(await handle(delivery('{"kind":"flow-changed","flowId":"f"}'))).toBe('done');
  expect(await handle(delivery('{"kind":"key-revoked","keyHash":"k"}'))).toBe('done');
  expect(await handle(delivery('{"kind":"of-a-later-version"}'))).toBe('done');
  expect(await handle(delivery('{"kind":"constructor"}'))).toBe('done');
  expect(calls).toEqual(['f']);
});
