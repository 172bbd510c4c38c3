import { Message } from '@millrace/python-text';
import type { MessageFields } from '@millrace/python-text';
import { LeaseObjects } from '../run/lease-objects';
import { decodeValue } from './decode-value';
import { encodeValue } from './encode-value';

const unused = (): never => {
  throw new Error('no object is used');
};
const objects = new LeaseObjects(unused, unused);
const { properties } = new Message({ text: '' }).fields;

const changes: Partial<MessageFields> = {
  sender: 'User',
  senderName: 'Ann',
  files: ['flow/a.txt'],
  sessionId: 's',
  contextId: 'c',
  flowId: 'f',
  runId: 'r',
  timestamp: '2026-11-24 14:00:00.123456 UTC',
  error: true,
  edit: true,
  properties: { ...properties, icon: 'a', usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
  category: 'error',
  contentBlocks: [{ type: 'text', text: 'a' }],
  duration: 0,
  sessionMetadata: { a: 1 },
  id: 'i',
  extra: { own: ['b'] },
};

test.each([{}, changes, ...Object.entries(changes).map(([name, value]) => ({ [name]: value }))])(
  'a message with %j is the same after its way through a frame',
  (changed) => {
    const message = new Message({ text: 'a', ...changed });
    expect(decodeValue(encodeValue(message, objects), objects)).toEqual(message);
  },
);

test('a message with its defaults takes few bytes', () => {
  expect(encodeValue(new Message({ text: 'a' }), objects)).toEqual({ $message: { text: 'a', fields: {} } });
});
