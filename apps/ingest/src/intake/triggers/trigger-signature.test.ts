import { createHmac } from 'node:crypto';
import { checkTriggerSignature } from './trigger-signature';

const body = Buffer.from('{}');
const timestamp = '1700000000';
const digest = createHmac('sha256', 'secret').update(`v1:${timestamp}:{}`).digest('hex');
const headers = { 'x-langflow-timestamp': timestamp, 'x-langflow-signature': `v1=${digest}` };
const isAccepted = (seconds: number): boolean =>
  checkTriggerSignature({ headers, body }, 'secret', (Number(timestamp) + seconds) * 1_000) !== null;

test.each([
  [-300.001, false],
  [-300, true],
  [0, true],
  [300, true],
  [300.001, false],
])('%d s after its timestamp, a delivery is accepted: %s', (seconds, accepted) => {
  expect(isAccepted(seconds)).toBe(accepted);
});
