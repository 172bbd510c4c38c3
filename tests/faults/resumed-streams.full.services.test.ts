import { readEvents } from '@millrace/gateway/testing';
import type { ReadEvent } from '@millrace/gateway/testing';
import { forAllTests } from '@millrace/testing';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';

/** How often a gateway is killed during a stream; increase it for a long manual run. */
const KILLS = Number(process.env['TEST_GATEWAY_KILLS'] ?? 3);
const TOKENS = 200;
const PATH = '/api/v2/workflows';

/** Additional gateways. */
const extraGateways: TestSystem['gateway'][] = [];

const system = forAllTests(startTestSystem);

async function startGateway() {
  const service = await system.startService({
    app: 'gateway',
    environment: {
      PORT: '0',
      INGEST_URL: `http://127.0.0.1:${system.ingestPort}`,
      MILLRACE_BOOTSTRAP_API_KEY: system.key,
    },
  });
  extraGateways.push(service);
  return { service, url: `http://127.0.0.1:${String(service.ready['port'])}` };
}

/** Reads until the end of the stream or until `enough` events; a killed gateway is not an error. */
async function read(response: Response, events: ReadEvent[], maximumEvents = Infinity): Promise<void> {
  try {
    for await (const event of readEvents(response)) {
      events.push(event);
      if (events.length >= maximumEvents) return;
    }
  } catch {
    // The connection broke: the next read continues after the last event.
  }
}

test('a stream whose gateway is killed continues at another one, without lost or repeated events', async () => {
  const { id: flowId } = await system.upload('chat');
  let victim = await startGateway();
  for (let round = 0; round < KILLS; round += 1) {
    const next = startGateway();
    const events: ReadEvent[] = [];
    const response = await fetch(`${victim.url}${PATH}`, {
      method: 'POST',
      headers: system.headers,
      body: JSON.stringify({
        flow_id: flowId,
        mode: 'stream',
        input_value: `[[tokens=${TOKENS} interval=10]]`,
        tweaks: { stream: true },
        session_id: `round-${round}`,
      }),
    });
    const runId = response.headers.get('x-run-id') ?? '';
    await read(response, events, 10 + Math.floor(Math.random() * 120));
    victim.service.kill();
    await victim.service.exited;
    const resumed = await fetch(`${system.url}${PATH}/${runId}/events`, {
      headers: { ...system.headers, 'last-event-id': String(events.at(-1)?.id) },
    });
    await read(resumed, events);

    const ids = events.map(({ id }) => id);
    expect([...new Set(ids)].sort((one, other) => one - other)).toEqual(ids);
    const tokens = events.filter(({ event }) => event === 'token').map(({ data }) => String(data['chunk']));
    expect(tokens).toHaveLength(TOKENS);
    const end = events.at(-1);
    expect(end).toMatchObject({ event: 'end', data: { result: { output: { text: tokens.join('') } } } });
    victim = await next;
  }
}, 300_000);

test('later readers receive the same events again', async () => {
  const { id: flowId } = await system.upload('chat');
  const started = await system.post(PATH, {
    flow_id: flowId,
    mode: 'background',
    input_value: '[[tokens=20 interval=1]]',
    tweaks: { stream: true },
  });
  const { links } = (await started.json()) as { links: { events: string } };
  const readings = await Promise.all(
    [0, 1].map(async () => {
      const events: ReadEvent[] = [];
      await read(await fetch(`${system.url}${links.events}`, { headers: system.headers }), events);
      return events.map(({ id, event }) => [id, event]);
    }),
  );
  expect(readings[0]).toEqual(readings[1]);
  expect(readings[0]?.filter(([, event]) => event === 'token')).toHaveLength(20);
  const again: ReadEvent[] = [];
  await read(await fetch(`${system.url}${links.events}`, { headers: system.headers }), again);
  expect(again.map(({ id, event }) => [id, event])).toEqual(readings[0]);
}, 60_000);

test('runs from the backlog keep their events like others', async () => {
  const { id: flowId } = await system.upload('chat', (flow) => (flow.settings = { concurrency: 1 }));
  const order = {
    flow_id: flowId,
    mode: 'background',
    input_value: '[[tokens=20 interval=1]]',
    tweaks: { stream: true },
  };
  const answers = await Promise.all([0, 1, 2].map(() => system.post(PATH, order)));
  for (const answer of answers) {
    const events: ReadEvent[] = [];
    const { links } = (await answer.json()) as { links: { events: string } };
    await read(await fetch(`${system.url}${links.events}`, { headers: system.headers }), events);
    expect(events.filter(({ event }) => event === 'token')).toHaveLength(20);
    expect(events.at(-1)?.event).toBe('end');
  }
}, 60_000);

test('a stream continues at a new gateway after all gateways were killed', async () => {
  const { id: flowId } = await system.upload('chat');
  const events: ReadEvent[] = [];
  const input_value = `[[tokens=${TOKENS} interval=10]]`;
  const response = await system.post(PATH, {
    flow_id: flowId,
    mode: 'stream',
    input_value,
    tweaks: { stream: true },
  });
  await read(response, events, 20);
  const everyGateway = [system.gateway, ...extraGateways];
  for (const gateway of everyGateway) gateway.kill();
  await Promise.all(everyGateway.map(({ exited }) => exited));
  const next = await startGateway();
  const resumed = await fetch(`${next.url}${PATH}/${response.headers.get('x-run-id')}/events`, {
    headers: { ...system.headers, 'last-event-id': String(events.at(-1)?.id) },
  });
  await read(resumed, events);
  const ids = events.map(({ id }) => id);
  expect([...new Set(ids)].sort((one, other) => one - other)).toEqual(ids);
  expect(events.filter(({ event }) => event === 'token')).toHaveLength(TOKENS);
  expect(events.at(-1)?.event).toBe('end');
}, 60_000);
