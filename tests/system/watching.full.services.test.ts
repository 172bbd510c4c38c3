import { forAllTests } from '@millrace/testing';
import { startTestSystem } from './test-system';

const ORDERS = 20;

interface WatchedEvent {
  readonly event: string | undefined;
  readonly run_id?: string;
  readonly success?: boolean;
  readonly to_run?: readonly string[];
}

let otherUrl: string;

const system = forAllTests(() => startTestSystem({ pools: { default: 2 } }));
beforeAll(async () => {
  const other = await system.startService({
    app: 'gateway',
    environment: {
      PORT: '0',
      INGEST_URL: `http://127.0.0.1:${system.ingestPort}`,
      MILLRACE_BOOTSTRAP_API_KEY: system.key,
    },
  });
  otherUrl = `http://127.0.0.1:${String(other.ready['port'])}`;
}, 120_000);

/** Watches a flow at a gateway; `ended` resolves to all received events once `runs` runs have ended. */
async function watch(gatewayUrl: string, endpoint: string) {
  const answer = await fetch(`${gatewayUrl}/api/v1/webhook-events/${endpoint}`, {
    headers: system.headers,
  });
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let received = (await reader.read()).value ?? '';
  const eventNames = () =>
    [...received.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, event, data]): WatchedEvent => ({
      event,
      ...(JSON.parse(data ?? '') as Omit<WatchedEvent, 'event'>),
    }));
  return {
    first: received,
    async ended(runs: number): Promise<readonly WatchedEvent[]> {
      while (eventNames().filter(({ event }) => event === 'end').length < runs)
        received += (await reader.read()).value ?? '';
      await reader.cancel();
      return eventNames();
    },
  };
}

test('watchers of a flow receive the events of each webhook run, at any gateway and from any executor', async () => {
  const { id, endpoint } = await system.upload('order-webhook');
  const watchers = [await watch(system.url, endpoint), await watch(otherUrl, endpoint)];
  const runIds: string[] = [];
  for (let order = 0; order < ORDERS; order += 1) {
    const accepted = await system.post(`/api/v1/webhook/${endpoint}`, { customer: 'Ann', quantity: order });
    runIds.push(((await accepted.json()) as { run_id: string }).run_id);
  }
  for (const { first, ended } of watchers) {
    expect(first).toBe(`event: connected\ndata: {"flow_id":"${id}","flow_name":"Order webhook"}\n\n`);
    const events = await ended(ORDERS);
    for (const runId of runIds) {
      const ofRun = events.filter(({ run_id }) => run_id === runId);
      const eventNames = ofRun.map(({ event }) => event);
      expect([eventNames[0], ...eventNames.slice(-2)]).toEqual(['vertices_sorted', 'add_message', 'end']);
      expect(ofRun.at(-1)?.success).toBe(true);
      const vertices = eventNames.slice(1, -2);
      expect(vertices).toEqual(vertices.map((_event, index) => ['build_start', 'end_vertex'][index % 2]));
      expect(vertices).toHaveLength(2 * (ofRun[0]?.to_run?.length ?? 0));
    }
  }
  const workers = await system.database.query('SELECT DISTINCT worker FROM runs WHERE flow_id = $1', [id]);
  expect(workers.rows).toHaveLength(2);
}, 60_000);
