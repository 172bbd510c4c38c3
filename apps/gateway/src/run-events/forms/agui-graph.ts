import type { AguiEvent } from './agui-text-messages';
import { arrayOf, objectOf, textOf } from './event-of';
import type { EventData } from './event-of';

type VertexState = 'pending' | 'running' | 'success' | 'error' | 'inactive';

/** Makes state and step events of the vertices of a run. */
export class AguiGraph {
  readonly #inactive = new Set<string>();

  opening(): AguiEvent[] {
    return [{ type: 'STATE_SNAPSHOT', snapshot: { nodes: {} } }];
  }

  sorted(data: EventData): AguiEvent[] {
    const ids = arrayOf(data['to_run'] ?? data['ids']).map(textOf);
    const nodes = Object.fromEntries(ids.map((id) => [id, { status: 'pending', output: null }]));
    return [{ type: 'STATE_SNAPSHOT', snapshot: { nodes } }];
  }

  started(data: EventData): AguiEvent[] {
    const id = textOf(data['id']);
    // The start of the whole run has no id.
    if (id === '') return [];
    this.#inactive.delete(id);
    return [
      { type: 'STEP_STARTED', stepName: id },
      { type: 'STATE_DELTA', delta: [change(id, 'running', null)] },
    ];
  }

  ended(data: EventData): AguiEvent[] {
    const built = objectOf(data['build_data']);
    const id = textOf(built['id']);
    if (id === '') return [];
    this.#inactive.delete(id);
    const delta = [change(id, built['valid'] === true ? 'success' : 'error', built['data'] ?? null)];
    for (const other of arrayOf(built['inactivated_vertices']).map(textOf)) {
      if (this.#inactive.has(other)) continue;
      this.#inactive.add(other);
      delta.push(change(other, 'inactive', null));
    }
    return [
      { type: 'STEP_FINISHED', stepName: id },
      { type: 'STATE_DELTA', delta },
    ];
  }
}

/** Returns a change of JSON Patch (RFC 6902). An id is one segment of its path. */
function change(id: string, status: VertexState, output: unknown): EventData {
  const segment = id.replaceAll('~', '~0').replaceAll('/', '~1');
  return { op: 'add', path: `/nodes/${segment}`, value: { status, output } };
}
