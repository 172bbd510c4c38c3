import Ajv from 'ajv/dist/2020';
import { advancedRunBodySchema } from '../resources/runs/advanced-run-body';
import { flowChangesSchema, newFlowSchema } from '../flow-changes/flow-bodies';
import { simpleRunBodySchema } from '../resources/runs/simple-run-body';
import { variableBodySchema } from '../resources/variables/variable-bodies';
import type { RequestSchema } from '../http/validation/request-schema';
import { createValidator } from '../http/validation/validator';
import { uuidFormat } from '../testing/uuid-format';
import { publicSchema } from './public-schema';

const ajv = new Ajv({ strict: false, logger: false });
ajv.addFormat('uuid', uuidFormat);
ajv.addFormat('date-time', true);

const isPublishedValid = (schema: RequestSchema, value: unknown) => ajv.validate(publicSchema(schema), value);
const isAccepted = (schema: RequestSchema, value: unknown) => {
  try {
    createValidator(schema)(value);
    return true;
  } catch {
    return false;
  }
};

const id = '00000000-0000-4000-8000-00000000000e';

test.each([
  [newFlowSchema, { name: 'a', locked: 'oN', webhook: null, is_component: 1, mcp_enabled: false }, true],
  [newFlowSchema, { name: 'a', locked: 'perhaps' }, false],
  [newFlowSchema, { name: 'a', locked: 2 }, false],
  [newFlowSchema, { name: 'a', id, folder_id: null, endpoint_name: 'a-b_C' }, true],
  [newFlowSchema, { name: 'a', id: '' }, false],
  [newFlowSchema, { name: 'a', endpoint_name: 'a b' }, false],
  [newFlowSchema, { name: 'a', data: {} }, true],
  [newFlowSchema, { name: 'a', data: null }, true],
  [newFlowSchema, { name: 'a', data: { nodes: [], edges: [] } }, true],
  [newFlowSchema, { name: 'a', data: { nodes: [] } }, false],
  [newFlowSchema, { name: 'a', data: [] }, false],
  [flowChangesSchema, { locked: 'no' }, true],
  [simpleRunBodySchema, { input_type: 'chat', tweaks: { a: 1 } }, true],
  [advancedRunBodySchema, { stream: 'off', inputs: [{ client_request_time: '12' }] }, true],
  [advancedRunBodySchema, { stream: null }, false],
  [advancedRunBodySchema, { inputs: [{ client_request_time: 1.5 }] }, false],
])('the published schema and the validator agree: %#', (schema, value, expected) => {
  expect([isAccepted(schema, value), isPublishedValid(schema, value)]).toEqual([expected, expected]);
});

test('internal annotations and formats are not published', () => {
  for (const schema of [newFlowSchema, simpleRunBodySchema, advancedRunBodySchema, variableBodySchema])
    expect(JSON.stringify(publicSchema(schema))).not.toMatch(/"x-|endpoint-name|pool-name/);
});

test('constraints that a route checks itself are published', () => {
  expect(isPublishedValid(variableBodySchema, { name: '', value: 'v' })).toBe(false);
  expect(isAccepted(variableBodySchema, { name: '', value: 'v' })).toBe(true);
});
