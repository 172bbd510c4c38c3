import Ajv from 'ajv/dist/2020';
import {
  controlSchemas,
  controlTopology,
  jobSchema,
  replyTopology,
  runsTopology,
  standbyTopology,
} from '@millrace/messages';
import type { ControlMessage } from '@millrace/messages';
import { until } from '@millrace/service/testing';
import { gatewayForTests } from '../testing/test-gateway';
import { uuidFormat } from '../testing/uuid-format';

const ajv = new Ajv({ strict: false, logger: false });
ajv.addFormat('uuid', uuidFormat);

const gateway = gatewayForTests();

test('every queue and exchange of the topology is a channel, and every reference resolves', async () => {
  const { json, text } = await gateway.call('GET', '/asyncapi.json');
  const { channels } = json as { channels: Record<string, unknown> };
  const { names } = gateway;
  for (const topology of [
    runsTopology(names, ['{pool}']),
    standbyTopology(names, '{pool}'),
    controlTopology(names, '{instance}'),
    replyTopology(names, '{instance}'),
  ]) {
    for (const { name } of [...topology.queues, ...topology.exchanges])
      expect(channels).toHaveProperty([name]);
  }
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path.split('/'));
  expect(references.length).toBeGreaterThan(10);
  for (const path of references) expect(json).toHaveProperty(path);
});

test('jobs and control messages match the document', async () => {
  const received: ControlMessage[] = [];
  const topology = controlTopology(gateway.names, 'a-listener');
  await gateway.bus.provision(topology);
  const consumer = await gateway.bus.consume(topology.queues[0]!.name, { prefetch: 10 }, async ({ body }) => {
    received.push(JSON.parse(body.toString()) as ControlMessage);
    return 'done';
  });
  const id = await gateway.createFlow({ name: 'one', data: { nodes: [], edges: [] } });
  gateway.executor.handleJob = ({ final }) => final('succeeded', { session_id: 's', outputs: [] });
  const body = { input_value: 'x', output_type: 'any', tweaks: { a: { b: 1 } } };
  expect((await gateway.call('POST', `/api/v1/run/${id}`, body)).status).toBe(200);
  const { json: key } = await gateway.call('POST', '/api/v1/api_key/', { name: 'short-lived' });
  await gateway.call('DELETE', `/api/v1/api_key/${(key as { id: string }).id}`);
  await gateway.call('DELETE', `/api/v1/flows/${id}`);
  await until(() => received.length >= 2);
  await consumer.close();

  expect(gateway.executor.jobs).toHaveLength(1);
  const isJob = ajv.compile(jobSchema);
  for (const job of gateway.executor.jobs) expect([isJob(job), isJob.errors]).toEqual([true, null]);
  expect(received.map(({ kind }) => kind).sort()).toEqual(['flow-changed', 'key-revoked']);
  for (const message of received) {
    const isMessage = ajv.compile(controlSchemas[message.kind]);
    expect([isMessage(message), isMessage.errors]).toEqual([true, null]);
  }
});
