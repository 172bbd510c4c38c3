import type { BuiltVertex } from '@millrace/engine';
import type { Plan, RunEvent } from '@millrace/flow';
import { emitVertices } from './run-report';

test.each(['1.13', '1.11'] as const)('events of vertices have the shape of Langflow %s', async (release) => {
  const ids = ['ChatInput-a', 'ChatOutput-a', 'Aside-a'];
  const vertices = ids.map((id) => ({
    id,
    displayName: 'Chat Input',
    type: 'ChatInput',
    toolMode: false,
    isOutput: false,
    outgoing: [{}],
    firstOutputTypes: ['Message'],
  }));
  const plan = { vertices, scope: { vertices: [0, 1], pending: [0, 1, -1] } } as unknown as Plan;
  const emitted: RunEvent[] = [];
  const watch = await emitVertices(
    (event) => void emitted.push(event),
    async () => plan,
    release,
  );
  const built: BuiltVertex = {
    id: 'ChatInput-a',
    valid: true,
    params: null,
    data: { results: {}, outputs: {}, logs: {}, messages: [], duration: '12 ms' },
    artifacts: { message: 'x' },
    timestamp: '2026-01-01T00:00:00.000Z',
    messages: [],
    inactivated_vertices: [],
    next_vertices_ids: ['ChatOutput-a'],
    top_level_vertices: [],
  };
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  await watch.ended(built, { seconds: 0.012, reused: true, usage });
  const isCurrent = release === '1.13';
  expect(emitted[0]?.data).toEqual({
    ids: ['ChatInput-a'],
    to_run: isCurrent ? ids : ids.slice(0, 2),
  });
  const { artifacts } = built;
  expect(emitted.at(-1)?.data).toEqual({
    build_data: isCurrent
      ? {
          ...built,
          artifacts: undefined,
          messages: undefined,
          data: {
            results: {},
            outputs: {},
            logs: {},
            message: artifacts,
            artifacts,
            timedelta: 0.012,
            duration: '12 ms',
            used_frozen_result: true,
            token_usage: usage,
          },
          top_level_vertices: ['ChatOutput-a'],
        }
      : built,
    ...(isCurrent && {
      output_meta: {
        component_id: 'ChatInput-a',
        display_name: 'Chat Input',
        vertex_type: 'ChatInput',
        is_output: false,
        is_terminal: false,
        output_types: ['Message'],
      },
    }),
  });
});
