import type { FollowedEvent } from '../event-sequence';
import { AguiContents } from './agui-contents';
import { AguiGraph } from './agui-graph';
import { AguiTextMessages } from './agui-text-messages';
import type { AguiEvent } from './agui-text-messages';
import type { EventForm } from './event-form';
import { arrayOf, eventOf, objectOf, textOf } from './event-of';
import type { EventData } from './event-of';

const LOST = 'The run ended without a result.';

export interface AguiEventsOptions {
  readonly runId: string;
  /** The session of the run. */
  readonly threadId: string;
  /** True to show vertices and logs, too. */
  readonly showsGraph: boolean;
  /** Id of the last event that the caller received; null for none. */
  readonly after: number | null;
}

/**
 * The events of a run in the AG-UI protocol. Ids count from 0 and are the same in each stream of a run. Another attempt
 * repeats the events of the run; a `CUSTOM` event announces it, because the protocol has none for it.
 */
export class AguiEvents implements EventForm {
  readonly #options: AguiEventsOptions;
  readonly #texts = new AguiTextMessages();
  readonly #contents = new AguiContents();
  readonly #graph: AguiGraph | null;
  #number = 0;

  constructor(options: AguiEventsOptions) {
    this.#options = options;
    this.#graph = options.showsGraph ? new AguiGraph() : null;
  }

  opening(): readonly FollowedEvent[] {
    return this.#write([this.#runEvent('RUN_STARTED'), ...(this.#graph?.opening() ?? [])]);
  }

  running(events: readonly FollowedEvent[]): readonly FollowedEvent[] {
    return this.#write(
      events.flatMap(({ text }) => {
        const { event, data } = eventOf(text);
        return this.#translate(event, data);
      }),
    );
  }

  closing(texts: readonly string[]): readonly FollowedEvent[] {
    const end = texts.map(eventOf).find(({ event }) => event === 'end');
    const events = [...this.#texts.end(), ...this.#end(objectOf(end?.data['result']))];
    const { after } = this.#options;
    // Events that the caller received are no longer kept, so the count is behind. The end of the run must arrive.
    if (after !== null && after >= this.#number + events.length) this.#number = after + 1;
    return this.#write(events);
  }

  #translate(event: string, data: EventData): readonly AguiEvent[] {
    const graph = this.#graph;
    switch (event) {
      case 'token':
        return this.#texts.token(textOf(data['id']), textOf(data['chunk']));
      case 'add_message':
        return this.#message(data);
      case 'remove_message':
        this.#texts.remove(textOf(data['id']));
        return [custom('langflow.message.removed', { message_id: textOf(data['id']) })];
      case 'restart':
        return [...this.#texts.end(), custom('millrace.run.restarted', data)];
      case 'human_input_required':
        return [...this.#texts.end(), custom('langflow.human_input_required', data)];
      case 'log':
        return graph ? [custom('langflow.log', data)] : [];
      case 'vertices_sorted':
        return graph?.sorted(data) ?? [];
      case 'build_start':
        return graph?.started(data) ?? [];
      case 'end_vertex':
        return graph?.ended(data) ?? [];
      default:
        return [];
    }
  }

  #message(data: EventData): readonly AguiEvent[] {
    if (data['sender'] === 'User') return [];
    const id = textOf(data['id']);
    const contents = this.#contents.of(id, data['content_blocks']);
    const isPartial = objectOf(data['properties'])['state'] === 'partial';
    return isPartial ? contents : [...contents, ...this.#texts.complete(id, textOf(data['text']))];
  }

  /** The protocol has no end for a cancelled run: an error would report a failure, so it finishes. */
  #end({ status, errors }: EventData): AguiEvent[] {
    if (status === 'completed') return [this.#runEvent('RUN_FINISHED')];
    if (status === 'cancelled') {
      const reason = 'The run was cancelled.';
      return [custom('langflow.run.cancelled', { reason }), this.#runEvent('RUN_FINISHED')];
    }
    const error = objectOf(arrayOf(errors)[0]);
    const code = textOf(error['code']);
    return [{ type: 'RUN_ERROR', message: textOf(error['error']) || LOST, ...(code === '' ? {} : { code }) }];
  }

  #runEvent(type: 'RUN_STARTED' | 'RUN_FINISHED'): AguiEvent {
    const { threadId, runId } = this.#options;
    return { type, threadId, runId };
  }

  #write(events: readonly AguiEvent[]): readonly FollowedEvent[] {
    return events.map((event) => ({ id: this.#number++, text: JSON.stringify(event) }));
  }
}

function custom(name: string, value: EventData): AguiEvent {
  return { type: 'CUSTOM', name, value };
}
