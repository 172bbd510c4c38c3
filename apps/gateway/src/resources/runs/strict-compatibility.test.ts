import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as Record<
  string,
  unknown
>;
const ADVANCED = '/api/v1/run/advanced/echo';
const SIMPLE = '/api/v1/run/echo';

describe.each(['1.13', '1.11', 'strict'] as const)('with MILLRACE_COMPATIBILITY=%s', (compatibility) => {
  const isStrict = compatibility === 'strict';
  let gateway: TestGateway;
  let flowId: string;

  beforeAll(async () => {
    gateway = await openTestGateway({ environment: { MILLRACE_COMPATIBILITY: compatibility } });
    flowId = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
  }, 60_000);

  afterAll(() => gateway.close());

  test('an invalid flat body is refused, or counts as no body', async () => {
    const answer = await gateway.call('POST', SIMPLE, { input_value: 'kept', session_id: 5 });
    if (isStrict) {
      expect(answer).toMatchObject({ status: 200, json: { session_id: flowId, outputs: [{ inputs: {} }] } });
    } else {
      expect(answer).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', 'session_id'] }] } });
    }
  });

  test('an invalid wrapped body is refused in both modes', async () => {
    const answer = await gateway.call('POST', SIMPLE, { input_request: { session_id: 5 } });
    expect(answer).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['body', 'input_request', 'session_id'] }] },
    });
  });

  test('`stream` of an advanced body is respected, or ignored', async () => {
    const { status, headers } = await gateway.call('POST', ADVANCED, {
      inputs: [{ input_value: 'x' }],
      stream: true,
    });
    expect([status, headers.get('content-type')]).toEqual([
      200,
      isStrict ? 'application/json' : 'text/event-stream; charset=utf-8',
    ]);
  });

  test('the session of an advanced body is used, or not found', async () => {
    const answer = await gateway.call('POST', ADVANCED, { session_id: 'mine' });
    expect(answer).toMatchObject(
      isStrict
        ? { status: 404, json: { detail: 'Session mine not found' } }
        : { status: 200, json: { session_id: 'mine' } },
    );
  });
});
