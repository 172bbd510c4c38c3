import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import { gatewayForTests } from '../testing/test-gateway';
import type { OpenApiDocument, OpenApiResponse } from './openapi-document';
import { AnswerContract } from '../testing/answer-contract';
import { operationDifferences } from '../testing/interface-differences';
import { interfaceFacts } from '../testing/interface-facts';
import type { OperationFacts } from '../testing/interface-facts';
import { uuidFormat } from '../testing/uuid-format';
import { tasks } from './tasks';
import { wantedDifferences } from '../testing/interface-wanted';
import { recordedExamples } from './recorded-examples';

/** What Langflow 1.13.0 promises of the routes for clients. */
const FACTS = join(__dirname, 'langflow-interface.json');
const CLIENT_ROUTES =
  /^\w+ \/api\/(?:v1\/(?:version|run|webhook|responses|files\/(?:upload|download|images|list|delete)|flows|variables|api_key|monitor\/(?:messages|traces|builds|transactions)|triggers|users|a2a)|v2\/(?:files|workflows|mcp))(?:\/|$)/;
/** Routes of the editor, of administration and of other clients than those of flows. */
const OTHER_ROUTES =
  /shared|audits|public|examples|note_translations|fork|overwrite|slack|versions|deletion-request|data-export|reset-password|users\/\{\}$/;

let document: OpenApiDocument;
const gateway = gatewayForTests();
beforeAll(async () => {
  const answer = await gateway.call('GET', '/openapi.json', undefined, { 'x-api-key': '' });
  expect(answer.headers.get('content-type')).toBe('application/json');
  document = answer.json;
}, 60_000);

/** The routes that Express has. */
function served(): string[] {
  return gateway.gateway.app.router.stack
    .flatMap(({ route }) => (route ? [route] : []))
    .flatMap(({ path, stack }) =>
      stack.map(({ method }) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`),
    )
    .sort();
}

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('the served routes are exactly the documented routes', () => {
  const documented = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(documented.sort()).toEqual(served());
});

test('every operation has a unique id, a summary, and the parameters of its path', () => {
  const all = operations();
  expect(new Set(all.map(({ operation }) => operation.operationId)).size).toBe(all.length);
  for (const { path, operation } of all) {
    expect(operation.summary).not.toBe('');
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
  }
});

test('every schema is valid in draft 2020-12, and every reference resolves', () => {
  const ajv = new Ajv({ strict: false, allowUnionTypes: true, logger: false });
  ajv.addFormat('uuid', uuidFormat);
  ajv.addSchema({ $id: 'document', ...document });
  const schemas = operations().flatMap(({ path, method, operation }) => {
    const at = (...parts: string[]) =>
      `document#/${['paths', path, method, ...parts]
        .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
        .join('/')}`;
    return [
      ...Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => ({
        schema,
        pointer: at('requestBody', 'content', type, 'schema'),
      })),
      ...Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([type, { schema }]) => ({
          schema,
          pointer: at('responses', status, 'content', type, 'schema'),
        })),
      ),
    ];
  });
  expect(schemas.length).toBeGreaterThan(100);
  // Equal schemas have equal references; most answers with an error have the same one.
  const different = new Map(schemas.map(({ schema, pointer }) => [JSON.stringify(schema), pointer]));
  expect(different.size).toBeGreaterThan(100);
  for (const pointer of different.values()) expect(() => ajv.compile({ $ref: pointer })).not.toThrow();
});

test('each route of Langflow has its members, required ones, words and defaults (TEST_LANGFLOW_OPENAPI=<document> reads them anew)', () => {
  const given = process.env['TEST_LANGFLOW_OPENAPI'];
  if (given !== undefined) {
    const facts = [...interfaceFacts(JSON.parse(readFileSync(given, 'utf8')))];
    const kept = facts.filter(([route]) => CLIENT_ROUTES.test(route) && !OTHER_ROUTES.test(route)).sort();
    const lines = kept.map(([route, one]) => `  ${JSON.stringify(route)}: ${JSON.stringify(one)}`);
    writeFileSync(FACTS, `{\n${lines.join(',\n')}\n}\n`);
  }
  const theirs = JSON.parse(readFileSync(FACTS, 'utf8')) as Readonly<Record<string, OperationFacts>>;
  const ours = interfaceFacts(document);
  const differences = Object.entries(theirs).flatMap(([route, facts]) => {
    const own = ours.get(route);
    return own ? operationDifferences(facts, own).map((line) => `${route} ${line}`) : [`${route} missing`];
  });
  const isWanted = (line: string) => wantedDifferences.some(([pattern]) => pattern.test(line));
  expect(Object.keys(theirs).length).toBeGreaterThan(60);
  expect(differences.filter((line) => !isWanted(line))).toEqual([]);
  expect(wantedDifferences.filter(([pattern]) => !differences.some((line) => pattern.test(line)))).toEqual(
    [],
  );
});

test('each recorded example is in the document and is valid by its schemas', () => {
  const contract = new AnswerContract(document);
  expect(recordedExamples.length).toBeGreaterThan(20);
  for (const { operation: name, status, body, answer } of recordedExamples) {
    const [method = '', route = ''] = name.split(' ');
    const template = route.replace(/:(\w+)/g, '{$1}');
    const operation = document.paths[template]?.[method.toLowerCase()];
    const values = (content: OpenApiResponse['content']) =>
      Object.values(content?.['application/json']?.examples ?? {}).map(({ value }) => value);
    if (body !== undefined) expect(values(operation?.requestBody?.content)).toContainEqual(body);
    if (answer === undefined) continue;
    expect(values(operation?.responses[status]?.content)).toContainEqual(answer);
    const id = '00000000-0000-7000-8000-000000000001';
    const path = route
      .replace(/:\w+_id/g, id)
      .replace(/:version/g, '1')
      .replace(/:\w+/g, 'name');
    const seen = { method, path, status, contentType: 'application/json', errorCode: null };
    expect(contract.deviation({ ...seen, text: JSON.stringify(answer) })).toBeNull();
  }
});

test('every route belongs to a task and has a stable id, and every task has a description', () => {
  const named = tasks.flatMap(({ name, operations: ids }) =>
    Object.entries(ids).map(([id, route]) => ({ id, route, tag: name })),
  );
  expect(named.map(({ route }) => route).sort()).toEqual(served());
  for (const { id, route, tag } of named) {
    const [method = '', path = ''] = route.split(' ');
    expect(document.paths[path]?.[method.toLowerCase()]).toMatchObject({ operationId: id, tags: [tag] });
    expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
  }
  expect(document.tags.map((tag) => (tag as { name: string }).name)).toEqual(tasks.map(({ name }) => name));
});

test('every JSON body and every JSON answer has an example', () => {
  const bodies = operations().flatMap(({ path, method, operation }) => [
    ...(operation.requestBody ? [[`${method} ${path}`, operation.requestBody] as const] : []),
    ...Object.entries(operation.responses)
      .filter(([status]) => /^2/.test(status))
      .map(([status, response]) => [`${method} ${path} ${status}`, response] as const),
  ]);
  const described = bodies.flatMap(([at, { content }]) => {
    const json = content?.['application/json'];
    return json ? [{ at, isShown: json.example !== undefined || json.examples !== undefined }] : [];
  });
  expect(described.length).toBeGreaterThan(100);
  expect(described.filter(({ isShown }) => !isShown)).toEqual([]);
});

test('entities are components that the operations refer to', () => {
  const { schemas } = document.components as { schemas: Readonly<Record<string, unknown>> };
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining(['Flow', 'NewFlow', 'Run', 'RunAnswer', 'RunRequest', 'Trigger', 'Variable']),
  );
  const read = document.paths['/api/v1/runs/{run_id}']?.['get']?.responses['200'];
  expect(read?.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Run' });
});

test('the document is compressed for callers that accept it, and for no others', async () => {
  for (const [accepted, encoding] of [
    ['gzip', 'gzip'],
    ['identity', null],
    ['gzip;q=0', null],
  ] as const) {
    const answer = await fetch(`${gateway.url}/openapi.json`, { headers: { 'accept-encoding': accepted } });
    expect([accepted, answer.headers.get('content-encoding')]).toEqual([accepted, encoding]);
    expect(answer.headers.get('vary')).toContain('Accept-Encoding');
    expect(await answer.json()).toEqual(document);
  }
});

test('an error status lists its codes', () => {
  const refusal = document.paths['/api/v1/run/{flow}']?.['post']?.responses['503'];
  expect(refusal?.headers).toMatchObject({
    'X-Error-Code': { schema: { enum: expect.arrayContaining(['no_executor', 'broker_unavailable']) } },
  });
});
