import type { Plan, PlanVertex } from '@millrace/flow';
import { selectVertices } from './execute';

const vertex = (id: string, isOutput = true) =>
  ({ id, isOutput, displayName: id, component: { type: id.split('-')[0] } }) as unknown as PlanVertex;
const vertices = [
  vertex('Prompt-a', false),
  vertex('Respond-a'),
  vertex('ChatOutput-a'),
  vertex('TextOutput-a'),
];

test.each([
  ['chat', ['Respond-a', 'ChatOutput-a']],
  ['text', ['Respond-a', 'TextOutput-a']],
  ['any', ['Respond-a', 'ChatOutput-a', 'TextOutput-a']],
] as const)('the outputs of the type %s include a Respond vertex', (type, ids) => {
  const selected = selectVertices({ vertices } as unknown as Plan, { by: 'type', type });
  expect(selected.map(({ id }) => id)).toEqual(ids);
});
